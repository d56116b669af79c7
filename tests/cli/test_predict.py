"""`lear predict`: many sentences, answered in order."""

import io
import json
from pathlib import Path

import pytest

from tests.support.cli import Capture, fails, lear, predict
from tests.support.toy_rows import TEST

ROWS = TEST[:5]
FORMS = [row.form for row in ROWS]
GOOD = "Tom teaches John"
GOOD_FORM = "teach ( tom , john )"


@pytest.mark.parametrize(
    ("input_format", "lines"),
    [
        ("lines", [row.sentence for row in ROWS]),
        ("tsv", [f"{row.sentence}\t{row.form}\tx" for row in ROWS]),
        ("jsonl", [json.dumps({"id": i, "sentence": row.sentence}) for i, row in enumerate(ROWS)]),
    ],
)
def test_answers_are_in_order_and_other_fields_are_kept(
    capsys: Capture, run_folder: str, tmp_path: Path, input_format: str, lines: list[str]
) -> None:
    # Without the end of the last line.
    arguments = (run_folder, tmp_path / "in", "\n".join(lines), "--format", input_format)
    code, answers, err = predict(capsys, *arguments)
    assert (code, err) == (0, "")
    assert [answer["form"] for answer in answers] == FORMS
    if input_format == "jsonl":
        assert [answer["id"] for answer in answers] == list(range(5))
    output = tmp_path / "out.jsonl"
    assert predict(capsys, *arguments, "--output", str(output)) == (0, [], "")
    assert [json.loads(line) for line in output.read_text().splitlines()] == answers


def test_standard_input_is_read_and_an_empty_line_is_an_answer_without_form(
    capsys: Capture, run_folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = f"{ROWS[0].sentence}\n\n{ROWS[1].sentence}\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    _, out, _ = lear(capsys, "predict", run_folder)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [a["form"] for a in answers] == [ROWS[0].form, None, ROWS[1].form]
    assert answers[1]["reason"] == "the sentence is empty"


def test_an_empty_file_has_no_answers(capsys: Capture, run_folder: str, tmp_path: Path) -> None:
    assert predict(capsys, run_folder, tmp_path / "in", "") == (0, [], "")


def test_derivations_may_be_of_any_depth(capsys: Capture, run_folder: str, tmp_path: Path) -> None:
    deep = "Tom knows that " * 165 + GOOD
    (tmp_path / "in").write_text(f"{GOOD}\n{deep}\n{GOOD}\n")
    _, out, _ = lear(capsys, "predict", run_folder, "--input", str(tmp_path / "in"))
    first, middle, last = out.splitlines()
    assert first == last
    assert middle.count('"kind":"node"') > 2 * 165
    assert middle.count("know (") == 165


MARK = "\ufeff".encode()
SENTENCE = json.dumps({"sentence": GOOD}).encode()
NOT_TEXT, NO_OBJECT = "not UTF-8 text", "not a JSON object"
BROKEN = {
    "lines": [
        (MARK + GOOD.encode(), None),
        (b"\xff\xfe", NOT_TEXT),
        (b"", ""),
        (GOOD.encode() + b"\r", None),
        (b"Tom \xc3 teaches", NOT_TEXT),
        (b"qqqqqq", ""),
        (MARK + GOOD.encode() + b"\r", None),
        (b"\xed\xa0\x80", NOT_TEXT),
        (b"Tom " * 300_000, "a line of more than 1,000,000 bytes"),
    ],
    "tsv": [
        (GOOD.encode() + b"\tx", None),
        (b"\xff\tx", NOT_TEXT),
        (b"", ""),
        (b"\t\t", ""),
        (GOOD.encode(), None),
    ],
    "jsonl": [
        (SENTENCE, None),
        (b"{", NO_OBJECT),
        (b"", NO_OBJECT),
        (b"[1]", NO_OBJECT),
        (b'{"sentence": 3}', "`sentence` is not text"),
        (b'{"words": "Tom"}', "no field `sentence`"),
        (b'{"sentence": "\xff"}', NOT_TEXT),
        (b"null", NO_OBJECT),
        (b"[" * 100_000, NO_OBJECT),
        (MARK + SENTENCE + b"\r", None),
        (b'{"sentence": "Tom \\ud800 teaches"}', NO_OBJECT),
    ],
}
"""Lines, each with what is wrong with it: nothing, that it has no answer, or that it is no row."""


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
@pytest.mark.parametrize("input_format", BROKEN)
def test_broken_lines_have_their_place_in_the_order(
    capsys: Capture, run_folder: str, tmp_path: Path, input_format: str, jobs: str
) -> None:
    path, lines = tmp_path / "in", BROKEN[input_format]
    content = b"".join(line + b"\n" for line, _ in lines)
    options = ("--format", input_format, "--jobs", jobs)
    code, answers, err = predict(capsys, run_folder, path, content, *options)
    errors = {number: error for number, (_, error) in enumerate(lines, start=1) if error}
    first = min(errors)
    assert code == 1
    assert len(err.splitlines()) == 1
    assert f"rows that could not be read: {len(errors)}; the first: {path}:{first}: " in err
    for number, ((line, error), answer) in enumerate(zip(lines, answers, strict=True), start=1):
        assert answer["form"] == (GOOD_FORM if error is None else None)
        if error:
            assert line.decode(errors="replace").startswith(answer["text"])
            assert answer["text"] or not line
            assert answer["reason"].startswith(f"{path}:{number}: {error}")
        elif error is not None:
            assert answer["reason"]


def test_every_input_line_has_one_output_line(
    capsys: Capture, run_folder: str, tmp_path: Path
) -> None:
    """Whatever else Python takes for the end of a line."""
    texts = ["Tom\x0bteaches", "Tom\x0cteaches", "a\x1cb\x1db\x1eb", "a\x85b", "a\u2028b\u2029", ""]
    content = "".join(f"{text}\r\n" for text in texts)
    code, answers, _ = predict(capsys, run_folder, tmp_path / "in", content)
    assert code == 0
    assert [answer["text"] for answer in answers] == texts


def test_the_answer_wins_over_fields_of_the_input(
    capsys: Capture, run_folder: str, tmp_path: Path
) -> None:
    record = {"sentence": GOOD, "form": "gold", "text": 3, "probability": "high", "id": 7}
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps(record) + "\n")
    _, out, _ = lear(capsys, "predict", run_folder, "--input", str(path))
    keys = [key for key, _ in json.loads(out, object_pairs_hook=list)]
    assert len(keys) == len(set(keys))
    answer = json.loads(out)
    assert (answer["form"], answer["text"], answer["id"]) == (GOOD_FORM, GOOD, 7)
    assert answer.pop("probability") > 0.5
    _, [without], _ = predict(capsys, run_folder, path, path.read_bytes(), "--no-probability")
    assert without == answer


def test_the_n_best_are_listed(capsys: Capture, tmp_path: Path) -> None:
    content = "Emma gave the girl a cake on the table .\nwas was was\n"
    _, [first, second], _ = predict(capsys, "cogs", tmp_path / "in", content, "--nbest", "3")
    assert [answer["rank"] for answer in first["nbest"]] == [1, 2, 3]
    assert first["nbest"][0]["form"] == first["form"]
    assert first["nbest"][0]["probability"] == pytest.approx(first["probability"])
    assert len({answer["form"] for answer in first["nbest"]}) == 3
    assert second["nbest"] == []


def test_a_long_sentence_does_not_end_the_answers(capsys: Capture, tmp_path: Path) -> None:
    content = f"Emma slept .\n{'The girl said that ' * 120}Emma slept .\nEmma slept .\n"
    code, answers, _ = predict(capsys, "cogs", tmp_path / "in", content, "--nbest", "2")
    assert (code, len(answers)) == (0, 3)


def test_a_file_that_cannot_be_written_is_one_line(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("Emma slept .\n")
    files = ("--input", str(tmp_path / "in"), "--output", str(tmp_path / "nowhere/out.jsonl"))
    assert "cannot be written" in fails(capsys, 1, "predict", "cogs", *files)


def test_how_much_is_remembered_changes_no_answer(capsys: Capture, tmp_path: Path) -> None:
    content = "Emma slept .\nA cat ran .\nEmma saw a cat .\n" * 2
    arguments = ("cogs", tmp_path / "in", content)
    few = predict(capsys, *arguments, "--max-remembered", "1")
    assert few[0] == 0
    assert few == predict(capsys, *arguments)
    # What was begun with one bound goes on with another one.
    into = (*arguments, "--output-folder", str(tmp_path / "answers"))
    assert predict(capsys, *into, "--max-remembered", "1")[0] == 0
    assert predict(capsys, *into)[0] == 0
