"""`lear check` finds each thing that it knows of, says it in words, and what to do next."""

import json
from pathlib import Path
from typing import Any

import pytest

from lear.evaluation.check import KINDS
from tests.support.broken_domains import MISTAKES, SOUND
from tests.support.cli import Capture, lear

ROWS = 'ROWS = [("one plus two", "add 1 2"), ("double two", "double 2"), ("one", "1")]'
PER_PART = "for n, (w, f) in enumerate(ROWS, 1)"
CASES = {
    "unreadable": ('("one", "1")]', '("one", "I")]', "no number in it"),
    "contradictory": ('("one", "1")]', '("one", "1"), ("one", "2")]', "'one' is 2, but in train:3"),
    "altered": (
        'return " ".join([number.name, *map(render, number.inside)])',
        'return " ".join([*map(render, number.inside), number.name])[:1]',
        "add 1 2 prints 1",
    ),
    "spelt": ('"add 1 2")', '"add  1 2")', "add  1 2 prints add 1 2"),
    "failing": (
        'return Number("add", (left, right))',
        "raise ValueError('no luck')",
        "domain 'tiny': operation add raised ValueError: no luck",
    ),
    "promise": (
        'return number.name if number.inside else "constant"',
        'return "any"',
        "",
    ),
    "unreached": ("(add, double)", "(add,)", "'double two' cannot mean double 2: no word brings"),
    "unnamed": ("(add, double)", "(add,)", "double: in 3 rows out of reach"),
    "unused": ('("double two", "double 2"), ', "", "double (Number -> Number)"),
    "unseen": (
        PER_PART,
        "for n, (w, f) in enumerate(ROWS if part == 'train' else [('three', '3')], 1)",
        "in dev rows: three",
    ),
    "silent": ("", "", "double, plus"),
    "few": ("", "", "3 training rows"),
    "missing": (PER_PART, f"{PER_PART} if part != 'dev'", "there are no dev rows"),
}


def found(capsys: Capture, file: Path) -> tuple[int, dict[str, Any]]:
    code, out, _ = lear(capsys, "check", str(file), "--json")
    report: dict[str, Any] = json.loads(out)
    return code, report


def written(folder: Path, old: str, new: str) -> Path:
    assert old in SOUND
    text = SOUND.replace(old, new, 1)
    if new == 'return "any"':  # then a refusal breaks the promise
        text = text.replace(
            '    return Number("double"',
            '    if number.inside:\n        return None\n    return Number("double"',
        )
    path = folder / "tiny.py"
    path.write_text(text)
    return path


@pytest.mark.parametrize("kind", CASES)
def test_each_kind_is_found(capsys: Capture, tmp_path: Path, kind: str) -> None:
    old, new, said = CASES[kind]
    code, report = found(capsys, written(tmp_path, old, new))
    messages = [f["message"] for f in report["findings"] if f["kind"] == kind]
    assert any(message.startswith(said) for message in messages), report
    must = any(finding["must_be_mended"] for finding in report["findings"])
    assert code == must == (not report["is_sound"])
    if KINDS[kind].is_serious:
        assert code == 1


def test_every_kind_has_a_case() -> None:
    assert set(CASES) == set(KINDS) - {"rarely unreached", "types", "blurred"}


def test_a_file_of_pairs_is_checked_row_by_row(capsys: Capture, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    rows = [f"at {n} pm on day {n},at({n + 12}:00)" for n in range(1, 10)]
    bad = ["at noon,at(noon)", "broken,at(", "at noon,at(12:00)", "at never,at(dawn)"]
    pairs.write_text("\n".join(["utterance,form", *rows, *bad]))
    code, report = found(capsys, pairs)
    told = {(finding["kind"], finding["source"]) for finding in report["findings"]}
    assert code == 1
    assert ("unreadable", f"{pairs}:12") in told
    assert "contradictory" in {kind for kind, _ in told}
    assert "types" in {kind for kind, _ in told}


def test_pairs_tell_no_more_than_a_person_without_code_can_mend(
    capsys: Capture, tmp_path: Path
) -> None:
    pairs = tmp_path / "pairs.csv"
    rows = [f'"wait, {n} minutes",wait({n})' for n in range(9)] + ["wait long,wait(long(5))"]
    pairs.write_text("\n".join(["utterance,form", *rows]))
    _, report = found(capsys, pairs)
    told = {(finding["kind"], finding["message"]) for finding in report["findings"]}
    assert "promise" not in {kind for kind, _ in told}
    assert not any(kind == "unnamed" and text.split(":")[0].isdigit() for kind, text in told)
    assert not any(kind == "silent" and text.startswith(",") for kind, text in told)


@pytest.mark.parametrize(
    ("new", "first"),
    [
        ('("one", "1")]', None),
        ('("one", "1"), ("one", "2")]', "contradictory"),
        ('("one", "I"), ("two", "1"), ("two", "2")]', "unreadable"),
    ],
)
def test_the_advice_is_about_the_first_thing_to_mend(
    capsys: Capture, tmp_path: Path, new: str, first: str | None
) -> None:
    file = written(tmp_path, '("one", "1")]', new)
    _, report = found(capsys, file)
    count = sum(finding["must_be_mended"] for finding in report["findings"])
    code, out, err = lear(capsys, "check", str(file))
    assert code == (first is not None) == ("must be mended" in out)
    if first is None:
        assert out.endswith(f"next: `lear train {file} --output runs/mine`\n")
    else:
        assert out.endswith(f"next: {KINDS[first].advice}\n")
        findings = "1 finding" if count == 1 else f"{count} findings"
        assert err.endswith(f" {findings} must be mended\n")


def test_a_reason_names_the_word_that_nothing_can_use(capsys: Capture, tmp_path: Path) -> None:
    file = written(tmp_path, '("one", "1")]', '("one plus one", "add 2 2")]')
    _, report = found(capsys, file)
    (message, *_) = [f["message"] for f in report["findings"] if f["kind"] == "unreached"]
    assert message == (
        "'one plus one' cannot mean add 2 2: nothing can use 'one', which stands for Number 1; "
        "nearest: add 1 1"
    )


def test_a_few_rows_out_of_reach_are_only_worth_a_look(capsys: Capture, tmp_path: Path) -> None:
    file = written(tmp_path, ROWS, f"{ROWS} * 20 + [('one two', 'sub 1 2')]")
    code, report = found(capsys, file)
    assert code == 0
    assert {f["kind"] for f in report["findings"]} >= {"rarely unreached"}


def test_coverage_tells_of_a_broken_promise_too(capsys: Capture, tmp_path: Path) -> None:
    file = written(tmp_path, *CASES["promise"][:2])
    code, _, err = lear(capsys, "coverage", str(file))
    assert code == 1
    assert err.splitlines()[-1].startswith(
        "lear: category 'any' promises too much: double is defined on the"
    )
    assert err.count("Number(name=") >= 2


def test_mistakes_in_code_never_end_in_a_traceback(capsys: Capture, tmp_path: Path) -> None:
    for mistake in MISTAKES:
        file = tmp_path / "tiny.py"
        file.write_text(SOUND.replace(mistake.old, mistake.new, 1))
        code, _, err = lear(capsys, "check", str(file))
        assert code in (0, 1, 2), mistake.what
        assert "Traceback" not in err
