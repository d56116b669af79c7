"""Each mistake of the author of a domain gives one clear line: place, row and cause."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from lear.domains._guard import PARTS, guarded
from lear.domains.toy import TOY
from lear.errors import DomainError
from tests.support.broken_domains import MISTAKES, SOUND, Mistake
from tests.support.cli import Capture, lear

COMMANDS = {
    "coverage": ("coverage", "FILE"),
    "train": ("train", "FILE", "--output", "FOLDER"),
    "show": ("show", "FILE", "one plus three", "--gold", "add 1 2"),
    "data check": ("data", "check", "FILE"),
}


def arguments(file: Path, command: str) -> list[str]:
    names = {"FILE": str(file), "FOLDER": str(file.parent / "run")}
    return [names.get(word, word) for word in COMMANDS[command]]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.what)
def test_a_mistake_is_told_in_one_line(capsys: Capture, tmp_path: Path, mistake: Mistake) -> None:
    assert mistake.old in SOUND
    text = SOUND.replace(mistake.old, mistake.new, 1)
    file = tmp_path / "tiny.py"
    file.write_text(text)
    code = 2 if "several domains" in mistake.said else 1
    got, out, err = lear(capsys, *arguments(file, mistake.command))
    assert (got, out) == (code, "")
    *notes, line = err.splitlines()
    assert all(note.startswith("lear: tiny/rows: ") for note in notes)  # what is about to be done
    line = line.replace(str(file), "FILE").replace("tiny.py", "FILE").removeprefix("lear: ")
    here = text[: text.find(mistake.new)].count("\n") + 1
    expected = re.escape(mistake.said.replace("HERE", str(here))).replace("LINE", r"\d+")
    assert re.match(expected, line), line


@pytest.mark.parametrize(
    ("part", "name"), [(part, name) for part, (_, checks) in PARTS.items() for name in checks]
)
def test_every_function_of_a_domain_is_guarded(part: str, name: str) -> None:
    def broken(*arguments: object) -> object:
        raise ValueError("no luck")

    broken_part = replace(getattr(TOY, part), **{name: broken})
    domain = guarded(replace(TOY, **{part: broken_part}))
    with pytest.raises(DomainError, match=f"domain 'toy': {name} raised ValueError: no luck"):
        getattr(getattr(domain, part), name)(*range(3))


def new_domain(folder: Path) -> str:
    """The file that `lear new` writes, in a folder that is then the current one."""
    from lear.__main__ import main

    assert main(["new", "tiny", "--kind", "python"]) == 0
    return (folder / "tiny.py").read_text()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'return Orders(tuple(form.split(" ; ")))',
            "return form",
            "domain 'tiny': read gave 'on lamp', not a Meaning",
        ),
        ('"Thing": Thing', '"Thing": str', "domain 'tiny': ground gave 'lamp', not a Meaning"),
        (
            'yield "Thing", thing',
            "yield thing",
            "domain 'tiny': primitives gave 'lamp', not a type and a symbol, on 'on lamp'",
        ),
        ("def then(first: Orders, ", "def then(zero: Orders, first: Orders, ", "tiny.py:LINE: "),
        ("TINY = make_domain(", "1 / 0\nTINY = make_domain(", "division by zero (tiny.py:LINE)"),
    ],
)
def test_a_mistake_in_a_new_file_names_function_value_and_line(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = new_domain(tmp_path)
    assert old in text
    (tmp_path / "tiny.py").write_text(text.replace(old, new, 1))
    code, _, err = lear(capsys, "train", "tiny.py", "--output", "run")
    assert code == 1
    line = text[: text.index("TINY = make_domain(")].count("\n") + 1
    assert said.replace("LINE", str(line)) in err.splitlines()[-1]
    assert not (tmp_path / "run").exists()
