"""From a file of pairs to a parser, by commands alone."""

import json
import shutil
from pathlib import Path

import pytest

from lear.domains.terms.corpus import HOME
from tests.support.cli import Capture, fails, in_json, lear
from tests.support.pair_languages import languages, write_rows

HEADER = "utterance,form,split\n"


@pytest.mark.slow
def test_a_parser_comes_of_a_file_of_pairs(capsys: Capture, tmp_path: Path) -> None:
    pairs, run = tmp_path / "home.csv", tmp_path / "run"
    shutil.copy(HOME, pairs)
    assert lear(capsys, "train", str(pairs), "--seed", "1", "--output", str(run))[0] == 0
    (scores,) = in_json(capsys, "evaluate", str(run), str(pairs), "--json")
    assert scores["n"] == 20
    assert scores["exact_match"] >= 0.9
    # It works without its pairs, elsewhere.
    pairs.unlink()
    moved = str(run.rename(tmp_path / "moved"))
    text = "Please turn on the light in the bedroom at half past six pm!"
    (answer,) = in_json(capsys, "parse", moved, text, "--json")
    assert answer["form"] == "at(on(light(bedroom)), 18:30)"
    assert "light, number -> on" in lear(capsys, "algebra", moved)[1]
    assert "unknown word" in fails(capsys, 1, "parse", moved, "turn on the zeppelin")
    # A file without splits is scored whole.
    more = tmp_path / "more.csv"
    more.write_text(
        'utterance,form\nlock the back door,lock(door(back))\n"is the fan on",ask(fan)\n'
    )
    code, out, err = lear(capsys, "evaluate", moved, str(more), "--json")
    assert (code, json.loads(out)["n"]) == (0, 2)
    assert "all of its rows are taken" in err


@pytest.mark.slow
@pytest.mark.parametrize("language", ["calendar", "order", "arithmetic"])
def test_more_than_training_shows_is_right(capsys: Capture, tmp_path: Path, language: str) -> None:
    """More arguments, more items, longer expressions, names never seen."""
    pairs = tmp_path / "pairs.csv"
    write_rows(pairs, languages(seed=2)[language])
    run = str(tmp_path / "run")
    assert lear(capsys, "train", str(pairs), "--output", run)[0] == 0
    (scores,) = in_json(capsys, "evaluate", run, str(pairs), "--json", "--skip-faults")
    assert scores["exact_match"] >= 0.9


GOLD = "lock(door(front))"


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("coverage", ()),
        ("lexicon", ()),
        ("algebra", ()),
        ("check", ()),
        ("show", ("lock the front door", "--gold", GOLD)),
    ],
)
def test_commands_take_files_of_pairs(capsys: Capture, command: str, more: tuple[str, ...]) -> None:
    code, out, _ = lear(capsys, command, str(HOME), *more)
    assert code == 0
    assert out
    assert GOLD in out or not more


def test_types_can_be_mended(capsys: Capture, tmp_path: Path) -> None:
    code, out, _ = lear(capsys, "types", str(HOME))
    assert code == 0
    types = tmp_path / "types.toml"
    types.write_text(out.replace('root = "on"', "root = 7"))
    run = str(tmp_path / "run")
    code, _, err = lear(capsys, "train", str(HOME), "--types", str(types), "--output", run)
    assert code == 1
    assert "types.toml: not a file of types" in err.splitlines()[-1]
    assert not Path(run).exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sentence,meaning\na,b\n", "1: no column 'utterance'"),
        (f"{HEADER}a,b\n", "2: 2 columns, where the first line has 3"),
        (f'{HEADER}a,"b,train\n', "2: not a row of a table"),
        (f"{HEADER}a,f(b,c),train\n", "2: 4 columns"),
        (f'{HEADER}a,"f(b",train\n', "2: the bracket of 'f' is not closed"),
        (f"{HEADER}a,{'f(' * 10_000}x,train\n", "2: nested in more than 100 levels"),
        (f"{HEADER},x,train\n", "2: the utterance is empty"),
        (f"{HEADER}a,x,tests\n", "2: the split is 'tests'"),
        (HEADER, "no rows"),
        ("", "no rows"),
    ],
)
def test_bad_files_are_one_line(capsys: Capture, tmp_path: Path, text: str, said: str) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(text)
    assert said in fails(capsys, 1, "types", str(pairs))
    code, _, err = lear(capsys, "train", str(pairs), "--output", str(tmp_path / "run"))
    assert code == 1
    assert "Traceback" not in err
    assert not list(tmp_path.glob("run/*"))


@pytest.mark.parametrize("part", ["train", "dev"])
@pytest.mark.parametrize("form", ["lock(door(front)", "f(" * 10_000])
def test_one_form_that_cannot_be_read_stops_training_at_once(
    capsys: Capture, tmp_path: Path, part: str, form: str
) -> None:
    """Though all other rows are fine; nothing is tried or written before."""
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(f"{HOME.read_text()}dim the sun,{form},{part}\n")
    code, _, err = lear(capsys, "train", str(pairs), "--output", str(tmp_path / "run"))
    assert code == 1
    assert "pairs.csv:62:" in err.splitlines()[-1]
    assert len(err.splitlines()) == 2
    assert not (tmp_path / "run").exists()


def test_a_file_of_too_many_rows_is_refused(capsys: Capture, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("utterance,form\n" + "a,b\n" * 200_001)
    assert "more than 200,000 rows" in fails(capsys, 1, "types", str(pairs))


def test_a_mark_of_byte_order_is_no_part_of_the_header(capsys: Capture, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_bytes(b"\xef\xbb\xbf" + HOME.read_bytes().replace(b"\n", b"\r\n"))
    assert lear(capsys, "coverage", str(pairs))[0] == 0


def test_a_file_that_is_not_there_is_named(capsys: Capture) -> None:
    assert "nowhere.csv: no such file" in fails(capsys, 2, "check", "nowhere.csv")
