"""The commands as a user meets them: output, errors of one line, exit codes."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lear.__main__ import main
from lear.cli.dispatch import COMMANDS
from lear.core.algebra import MeaningTable
from lear.core.derivation import evaluate, from_json
from lear.core.lexicon import Lexicon
from lear.domain.example import Example
from lear.domains.cogs.domain import COGS
from lear.domains.toy.domain import TOY
from lear.evaluation.coverage import Unreached, coverage
from lear.search.oracle import Oracle

FIGURE_1 = "Tom teaches John 's daughter 's daughter"
FIGURE_1_FORM = "teach ( tom , daughter ( daughter ( john ) ) )"
Capture = pytest.CaptureFixture[str]


def lear(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def fails(capsys: Capture, code: int, *arguments: str) -> str:
    """The one line of a command that must fail with this code."""
    got, out, err = lear(capsys, *arguments)
    assert (got, out) == (code, "")
    assert err.startswith("lear: ")
    assert err.count("\n") == 1, err
    return err


@pytest.fixture
def small_cogs(tmp_path: Path) -> Path:
    """A data folder with a few rows of our own in the format of COGS."""
    rows = [
        ("Emma slept .", "sleep . agent ( x _ 1 , Emma )", "in_distribution"),
        (
            "Liam saw a dog .",
            "see . agent ( x _ 1 , Liam ) AND see . theme ( x _ 1 , x _ 3 ) AND dog ( x _ 3 )",
            "in_distribution",
        ),
        ("dog", "LAMBDA a . dog ( a )", "primitive"),
    ]
    folder = tmp_path / "cogs"
    folder.mkdir()
    for name in ("train", "dev", "test", "gen", "gen_original"):
        (folder / f"{name}.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    return tmp_path


def test_help_lists_the_commands_and_every_command_has_examples(capsys: Capture) -> None:
    code, out, _ = lear(capsys, "--help")
    assert code == 0
    for name in COMMANDS:
        assert f"lear {name}" in out
        code, help_text, _ = lear(capsys, name, "--help")
        assert code == 0
        assert f"examples:\n  lear {name}" in help_text


def test_python_m_lear_is_the_lear_command() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "lear", "--version"], capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith("lear 0.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["covrage"], "did you mean 'coverage'?"),
        (["coverage", "cogs/gem"], "did you mean 'cogs/gen'?"),
        (["coverage", "toy", "--part", "tset"], "did you mean 'test'?"),
        (["lexicon", "cog"], "did you mean 'cogs'?"),
        (["data", "lst"], "did you mean 'list'?"),
        (["algebra", "french"], "there are cfq, cogs, geo, toy"),
        (["coverage"], "DOMAIN[/SPLIT]"),
        (["coverage", "toy", "--limit", "many"], "--limit"),
        (["coverage", "toy", "--limit", "-1"], "--limit"),
        (["coverage", "toy", "--max-combinations", "0"], "--max-combinations"),
        (["show", "toy", "Tom sees Mary"], "--gold"),
        (["show", "toy", "  ", "--gold", "see ( tom , mary )"], "sentence is empty"),
        (["show", "toy", "Tom", "--gold", "tom", "--format", "pdf"], "text"),
    ],
)
def test_wrong_usage_is_one_line(capsys: Capture, arguments: list[str], said: str) -> None:
    assert said in fails(capsys, 2, *arguments)


def test_algebra_prints_every_operation(capsys: Capture) -> None:
    _, out, _ = lear(capsys, "algebra", "cogs", "--json")
    assert [op["name"] for op in json.loads(out)["operations"]] == list(
        COGS.language.algebra.by_name
    )
    _, text, _ = lear(capsys, "algebra", "cogs")
    assert len(text.splitlines()) == 1 + len(COGS.language.algebra.operations)


def test_the_printed_lexicon_reads_back(capsys: Capture) -> None:
    _, out, _ = lear(capsys, "lexicon", "toy", "--json")
    lexicon = Lexicon.from_json(out.encode(), "stdout")
    assert lexicon.units["best", "friend"][0].primitive.symbol == "best_friend"
    _, text, _ = lear(capsys, "lexicon", "toy", "--word", "friend")
    assert [line.split()[0] for line in text.splitlines()] == ["unit", "best", "friend"]


def test_coverage_prints_one_json_object(capsys: Capture) -> None:
    code, out, _ = lear(capsys, "coverage", "toy", "--json", "--part", "all")
    result = json.loads(out)
    assert code == 0
    assert (result["benchmark"], result["n"], result["covered"]) == ("toy/deep", 880, 880)
    assert result["coverage"] == 1.0
    assert {part: r["n"] for part, r in result["parts"].items()} == {
        "train": 400,
        "dev": 80,
        "test": 400,
    }
    assert sum(r["n"] for r in result["categories"].values()) == 880


def test_coverage_takes_the_test_rows_by_default(capsys: Capture) -> None:
    _, out, _ = lear(capsys, "coverage", "toy", "--json", "--limit", "7")
    assert (json.loads(out)["part"], json.loads(out)["n"]) == ("test", 7)


def test_rows_out_of_reach_are_written_with_the_nearest_meaning(
    capsys: Capture, small_cogs: Path
) -> None:
    # "slept" is read as a name in the form, so no derivation has both clauses.
    lost = "Emma slept .\tsleep . theme ( x _ 1 , Emma ) AND sleep . agent ( x _ 1 , slept )\tx\n"
    (small_cogs / "cogs/gen.tsv").write_text(lost)
    target = small_cogs / "lost.jsonl"
    code, out, err = lear(
        capsys, "coverage", "cogs/gen", "--data", str(small_cogs), "--unreachable", str(target)
    )
    assert code == 0
    assert "0.00 %" in out
    assert "differs from the published file" in err
    (row,) = map(json.loads, target.read_text().splitlines())
    assert row["source"].endswith("gen.tsv:1")
    assert row["reason"] == "no derivation"
    assert row["nearest"] in (
        "sleep . theme ( x _ 1 , Emma )",
        "sleep . agent ( x _ 1 , Emma )",
    )
    assert 0 < row["nearest_reward"] < 1


def test_a_word_without_meaning_is_named() -> None:
    oracle = Oracle.of(TOY, TOY.words.induce([Example(("Tom",), "tom", "", "")]))
    row = Example(("Zoe", "sees", "Tom"), "see ( tom , tom )", "", "here:1")
    (outcome,) = coverage(oracle, [row])
    assert isinstance(outcome, Unreached)
    assert (outcome.reason, outcome.nearest) == ("words without a meaning: Zoe sees", None)


def test_show_draws_the_derivation_of_figure_1(capsys: Capture) -> None:
    code, out, _ = lear(capsys, "show", "toy", FIGURE_1, "--gold", FIGURE_1_FORM)
    assert code == 0
    assert out.splitlines()[0] == "take_subject"
    assert out.count("possess") == 2
    assert out.splitlines()[-1] == f"=> {FIGURE_1_FORM}"


# Two derivations: "the" and "'s" can be shared out in two ways, and the wrong one is found first.
AMBIGUOUS = ("Mary helps the girl 's sister", "help ( mary , sister ( girl ) )")


def test_show_prints_every_derivation_and_all_evaluate_to_gold(capsys: Capture) -> None:
    sentence, form = AMBIGUOUS
    _, out, err = lear(
        capsys, "show", "toy", sentence, "--gold", form, "--format", "json", "--count", "9"
    )
    derivations = [from_json(line.encode()) for line in out.splitlines()]
    assert "2 derivations" in err
    assert len(set(derivations)) == 2
    for derivation in derivations:
        meaning = evaluate(derivation, MeaningTable(TOY.language.algebra), TOY.words.ground)
        assert TOY.language.render(meaning) == form


def test_show_prefers_the_derivation_whose_rules_are_common(capsys: Capture) -> None:
    sentence, form = AMBIGUOUS
    _, out, _ = lear(capsys, "show", "toy", sentence, "--gold", form)
    assert 'determine  "the"' in out
    assert 'possess  "\'s"' in out


def test_show_draws_one_picture_only(capsys: Capture) -> None:
    sentence, form = AMBIGUOUS
    said = fails(
        capsys, 2, "show", "toy", sentence, "--gold", form, "--format", "svg", "--count", "2"
    )
    assert "one derivation" in said


def test_show_draws_svg(capsys: Capture) -> None:
    _, out, _ = lear(capsys, "show", "toy", FIGURE_1, "--gold", FIGURE_1_FORM, "--format", "svg")
    assert out.startswith("<svg ")
    assert out.rstrip().endswith("</svg>")


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("help ( tom , john )", "cannot have this form: no derivation"),
        ("teach ( tom , ", "--gold: "),
        ("fly ( tom , john )", "unknown symbol 'fly'"),
    ],
)
def test_show_says_why_there_is_no_tree(capsys: Capture, form: str, said: str) -> None:
    assert said in fails(capsys, 1, "show", "toy", FIGURE_1, "--gold", form)


def test_a_500_token_sentence_is_bounded(capsys: Capture) -> None:
    started = time.perf_counter()
    sentence = "Tom teaches John" + " 's daughter" * 250
    form = "teach ( tom , " + "daughter ( " * 250 + "john " + ") " * 251
    code, out, _ = lear(capsys, "show", "toy", sentence, "--gold", form.strip())
    assert code == 0
    assert out.count("possess") == 250
    assert time.perf_counter() - started < 20


def test_missing_data_says_what_to_do(capsys: Capture, tmp_path: Path) -> None:
    said = fails(capsys, 1, "coverage", "cogs/gen", "--data", str(tmp_path / "nowhere"))
    assert "train.tsv: no such file" in said
    assert "lear data get cogs" in said


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("Emma slept .\tsleep . agent ( x _ 1 , Emma )", "gen.tsv:1: expected 3 columns"),
        ("Emma slept .\tsleep . agent ( x _ 1 , \tx\n", "gen.tsv:1: not a clause"),
        ("\tsleep . agent ( x _ 1 , Emma )\tx\n", "gen.tsv:1: the sentence is empty"),
        ("", "gen.tsv: the file is empty"),
    ],
)
def test_a_broken_row_stops_with_file_and_row(
    capsys: Capture, small_cogs: Path, broken: str, said: str
) -> None:
    (small_cogs / "cogs/gen.tsv").write_text(broken)
    target = small_cogs / "lost.jsonl"
    target.write_text("what was there before")
    code, out, err = lear(
        capsys, "coverage", "cogs", "--data", str(small_cogs), "--unreachable", str(target)
    )
    assert (code, out) == (1, "")
    *notes, last = err.splitlines()
    assert said in last
    assert all("differs from the published file" in line for line in notes)
    assert target.read_text() == "what was there before"


def test_data_check_fails_on_a_changed_file(capsys: Capture, small_cogs: Path) -> None:
    code, out, err = lear(capsys, "data", "check", "cogs", "--data", str(small_cogs))
    assert code == 1
    assert out.count("differs") == 5
    assert "5 of 5" in err
    assert "are not as published (cogs/train.tsv: differs" in err


def test_data_get_does_not_replace_a_file_of_ones_own(
    capsys: Capture, small_cogs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAR_MIRROR", "http://127.0.0.1:9")
    before = (small_cogs / "cogs/train.tsv").read_bytes()
    said = fails(capsys, 1, "data", "get", "cogs", "--data", str(small_cogs))
    assert "--force replaces it" in said
    assert "no answer" in fails(
        capsys, 1, "data", "get", "cogs", "--data", str(small_cogs), "--force"
    )
    assert (small_cogs / "cogs/train.tsv").read_bytes() == before


@pytest.mark.parametrize("mirror", ["nonsense", "http://["])
def test_a_mirror_that_is_no_address_is_wrong_usage(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mirror: str
) -> None:
    monkeypatch.setenv("LEAR_MIRROR", mirror)
    assert "LEAR_MIRROR" in fails(capsys, 2, "data", "get", "cogs", "--data", str(tmp_path))


def test_data_list_knows_every_file(capsys: Capture, small_cogs: Path) -> None:
    (small_cogs / "cogs/dev.tsv").unlink()
    _, out, _ = lear(capsys, "data", "list", "--json", "--data", str(small_cogs))
    states = {file["path"]: file["state"] for file in json.loads(out)["files"]}
    assert states["cogs/dev.tsv"] == "missing"
    assert states["cogs/train.tsv"] == "differs"
    assert sum(path.startswith("cogs/") for path in states) == 5
    assert states["cfq/mcd1/train/train_encode.txt"] == "missing"


def test_data_get_without_a_network_is_one_clear_line(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAR_MIRROR", "http://127.0.0.1:9")
    said = fails(capsys, 1, "data", "get", "cogs", "--data", str(tmp_path))
    assert "no answer" in said
    assert str(tmp_path / "cogs/train.tsv") in said
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_data_check_passes_on_the_published_files(capsys: Capture, data_folder: Path) -> None:
    code, out, _ = lear(capsys, "data", "check", "cogs", "--data", str(data_folder), "--json")
    assert code == 0
    assert {row["name"]: (row["rows"], row["altered"]) for row in json.loads(out)["checked"]} == {
        "cogs/train.tsv": (24_155, 0),
        "cogs/dev.tsv": (3_000, 0),
        "cogs/test.tsv": (3_000, 0),
        "cogs/gen.tsv": (21_000, 0),
        "cogs/gen_original.tsv": (21_000, 0),
    }


def test_an_unwritable_output_is_one_line(capsys: Capture, tmp_path: Path) -> None:
    target = tmp_path / "no/such/folder/lost.jsonl"
    said = fails(capsys, 1, "coverage", "toy", "--limit", "1", "--unreachable", str(target))
    assert "cannot be written" in said
