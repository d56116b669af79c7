"""`lear predict`: many sentences, answered in order."""

import io
import json
from pathlib import Path

import pytest

from lear.__main__ import main
from tests.support.cli import Capture, fails, lear
from tests.support.toy_rows import TEST

ROWS = TEST[:5]


@pytest.mark.parametrize("form", ["lines", "tsv", "jsonl"])
def test_predict_answers_in_order_and_keeps_other_fields(
    capsys: Capture, run_folder: str, tmp_path: Path, form: str
) -> None:
    lines = {
        "lines": [row.sentence for row in ROWS],
        "tsv": [f"{row.sentence}\t{row.form}\tx" for row in ROWS],
        "jsonl": [json.dumps({"id": i, "sentence": row.sentence}) for i, row in enumerate(ROWS)],
    }[form]
    path = tmp_path / "in"
    path.write_text("\n".join(lines) + "\n")
    _, out, _ = lear(capsys, "predict", run_folder, "--input", str(path), "--format", form)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["form"] for answer in answers] == [row.form for row in ROWS]
    if form == "jsonl":
        assert [answer["id"] for answer in answers] == list(range(5))


def test_predict_reads_standard_input_and_an_empty_line_is_an_answer_without_form(
    capsys: Capture, run_folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = f"{ROWS[0].sentence}\n\n{ROWS[1].sentence}\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    _, out, _ = lear(capsys, "predict", run_folder)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [a["form"] for a in answers] == [ROWS[0].form, None, ROWS[1].form]
    assert answers[1]["reason"] == "the sentence is empty"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"sentence": "Tom"}\n{"words": "Tom"}\n', ":2: no field `sentence`"),
        ('{"sentence": 3}\n', ":1: `sentence` is not text"),
        ("Tom\n", ":1: not a JSON object"),
    ],
)
def test_predict_names_a_broken_line(
    capsys: Capture, run_folder: str, tmp_path: Path, content: str, said: str
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(content)
    code, _, err = lear(capsys, "predict", run_folder, "--input", str(path), "--format", "jsonl")
    assert code == 1
    assert said in err


def test_predict_writes_derivations_of_any_depth(
    capsys: Capture, run_folder: str, tmp_path: Path
) -> None:
    lines = tmp_path / "deep.txt"
    deep = "Tom knows that " * 165 + "Tom teaches John"
    lines.write_text(f"Tom teaches John\n{deep}\nTom teaches John\n")
    assert main(["predict", run_folder, "--input", str(lines)]) == 0
    first, middle, last = capsys.readouterr().out.splitlines()
    assert first == last
    assert middle.count('"kind":"node"') > 2 * 165
    assert middle.count("know (") == 165


GOOD = "Tom teaches John"
MARK = "\ufeff".encode()
BROKEN = {
    "lines": (
        [
            MARK + GOOD.encode(),
            b"\xff\xfe",
            b"",
            GOOD.encode() + b"\r",
            b"Tom \xc3 teaches",
            b"qqqqqq",
            MARK + GOOD.encode() + b"\r",
            b"\xed\xa0\x80",
            b"Tom " * 300_000,
            GOOD.encode(),
        ],
        {
            2: "not UTF-8 text",
            5: "not UTF-8 text",
            8: "not UTF-8 text",
            9: "a line of more than 1,000,000 bytes",
        },
    ),
    "tsv": (
        [f"{GOOD}\tx".encode(), b"\xff\tx", b"", b"\t\t", GOOD.encode()],
        {2: "not UTF-8 text"},
    ),
    "jsonl": (
        [
            json.dumps({"sentence": GOOD}).encode(),
            b"{",
            b"",
            b"[1]",
            b'{"sentence": 3}',
            b'{"words": "Tom"}',
            b'{"sentence": "\xff"}',
            b"null",
            b"[" * 100_000,
            json.dumps({"sentence": GOOD, "id": 10}).encode(),
            MARK + json.dumps({"sentence": GOOD}).encode() + b"\r",
            b'{"sentence": "Tom \\ud800 teaches"}',
        ],
        {
            2: "not a JSON object",
            3: "not a JSON object",
            4: "not a JSON object",
            5: "`sentence` is not text",
            6: "no field `sentence`",
            7: "not UTF-8 text",
            8: "not a JSON object",
            9: "not a JSON object",
            12: "not a JSON object",
        },
    ),
}


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("form", BROKEN)
def test_broken_lines_have_their_place_in_the_order(
    capsys: Capture, run_folder: str, tmp_path: Path, form: str, jobs: int
) -> None:
    lines, errors = BROKEN[form]
    path = tmp_path / "in"
    path.write_bytes(b"\n".join(lines) + b"\n")
    code, out, err = lear(
        capsys,
        *("predict", run_folder, "--input", str(path), "--format", form, "--jobs", str(jobs)),
    )
    assert code == 1
    assert len(err.splitlines()) == 1
    first = min(errors)
    assert f"rows that could not be read: {len(errors)}" in err
    assert f"{path}:{first}: {errors[first]}" in err
    answers = [json.loads(line) for line in out.splitlines()]
    assert len(answers) == len(lines)
    for number, (line, answer) in enumerate(zip(lines, answers, strict=True), start=1):
        if number in errors:
            assert answer["form"] is None
            assert line.decode(errors="replace").startswith(answer["text"])
            assert answer["text"] or not line
            assert answer["reason"].startswith(f"{path}:{number}: {errors[number]}")
        elif GOOD.encode() in line:
            assert answer["form"] == "teach ( tom , john )"
        else:
            assert answer["form"] is None
            assert answer["reason"]


def test_every_input_line_has_one_output_line(
    capsys: Capture, run_folder: str, tmp_path: Path
) -> None:
    """Whatever else Python takes for the end of a line."""
    texts = ["Tom\x0bteaches", "Tom\x0cteaches", "a\x1cb\x1db\x1eb", "a\x85b", "a\u2028b\u2029", ""]
    path = tmp_path / "in"
    path.write_bytes("".join(f"{text}\r\n" for text in texts).encode())
    code, out, _ = lear(capsys, "predict", run_folder, "--input", str(path))
    assert code == 0
    assert [json.loads(line)["text"] for line in out.split("\n")[:-1]] == texts


def test_a_file_without_an_end_of_line_and_an_empty_file(
    capsys: Capture, run_folder: str, tmp_path: Path
) -> None:
    path = tmp_path / "in"
    path.write_text(GOOD)
    assert len(lear(capsys, "predict", run_folder, "--input", str(path))[1].splitlines()) == 1
    path.write_text("")
    assert lear(capsys, "predict", run_folder, "--input", str(path)) == (0, "", "")


def test_the_answer_wins_over_fields_of_the_input(
    capsys: Capture, run_folder: str, tmp_path: Path
) -> None:
    path = tmp_path / "in.jsonl"
    record = {"sentence": GOOD, "form": "gold", "text": 3, "probability": "high", "id": 7}
    path.write_text(json.dumps(record) + "\n")
    _, out, _ = lear(capsys, "predict", run_folder, "--input", str(path), "--format", "jsonl")
    keys = [key for key, _ in json.loads(out, object_pairs_hook=list)]
    assert len(keys) == len(set(keys))
    answer = json.loads(out)
    assert (answer["form"], answer["text"], answer["id"]) == ("teach ( tom , john )", GOOD, 7)


def test_the_n_best_are_listed(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_text("Emma gave the girl a cake on the table .\nwas was was\n")
    _, out, _ = lear(capsys, "predict", "cogs", "--input", str(path), "--nbest", "3")
    first, second = map(json.loads, out.splitlines())
    assert [answer["rank"] for answer in first["nbest"]] == [1, 2, 3]
    assert first["nbest"][0]["form"] == first["form"]
    assert first["nbest"][0]["probability"] == pytest.approx(first["probability"])
    assert len({answer["form"] for answer in first["nbest"]}) == 3
    assert second["nbest"] == []


def test_a_long_sentence_does_not_end_the_answers(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "in"
    deep = "The girl said that " * 120 + "Emma slept ."
    path.write_text(f"Emma slept .\n{deep}\nEmma slept .\n")
    code, out, _ = lear(capsys, "predict", "cogs", "--input", str(path), "--nbest", "2")
    assert code == 0
    assert len(out.splitlines()) == 3


def test_a_file_holds_what_would_be_printed(
    capsys: Capture, run_folder: str, tmp_path: Path
) -> None:
    path, output = tmp_path / "in.txt", tmp_path / "out.jsonl"
    path.write_text("".join(f"{row.sentence}\n" for row in ROWS))
    _, out, _ = lear(capsys, "predict", run_folder, "--input", str(path))
    assert lear(capsys, "predict", run_folder, "--input", str(path), "--output", str(output)) == (
        0,
        "",
        "",
    )
    written = [json.loads(line) for line in output.read_text().splitlines()]
    printed = [json.loads(line) for line in out.splitlines()]
    assert [answer["form"] for answer in written] == [answer["form"] for answer in printed]
    assert [answer["derivation"] for answer in written] == [a["derivation"] for a in printed]


def test_a_file_that_cannot_be_written_is_one_line(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_text("Emma slept .\n")
    output = tmp_path / "nowhere/out.jsonl"
    arguments = ("predict", "cogs", "--input", str(path), "--output", str(output))
    assert "cannot be written" in fails(capsys, 1, *arguments)


def test_without_probabilities_the_rest_is_the_same(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"text": "Emma slept .", "probability": "of the input"}\n')
    _, with_it, _ = lear(capsys, "predict", "cogs", "--input", str(path))
    _, without, _ = lear(capsys, "predict", "cogs", "--input", str(path), "--no-probability")
    whole = json.loads(with_it)
    assert whole.pop("probability") > 0.5
    assert json.loads(without).keys() == whole.keys()
    assert json.loads(without)["form"] == whole["form"]
