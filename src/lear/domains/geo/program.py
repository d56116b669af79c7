"""FunQL programs as trees of calls and atoms: reading and printing.

In `answer(capital(loc_2(stateid('texas'))))`, everything but 'texas' is a call; names are calls too
(`cityid('austin', 'tx')`). Atoms are bare words, quoted strings, numbers and `_`.
"""

import re
from dataclasses import dataclass

from lear.errors import FormError

MAX_LEVELS = 100
"""Levels of nested calls; real programs have less than ten."""
MAX_CHARACTERS = 20_000
"""Of a program's text; real ones have less than 200."""
_WORD = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?)|'([^']*)')")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Atom:
    """A word, a number or a quoted string: `all`, `var0`, `0`, `_`, `'texas'`."""

    text: str
    is_quoted: bool = False

    def __str__(self) -> str:
        return f"'{self.text}'" if self.is_quoted else self.text


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments."""

    function: str
    arguments: tuple["Program", ...]

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(str, self.arguments))})"


Program = Atom | Call
ALL = Atom("all")
ANY = Atom("_")


def read_program(text: str) -> Program:
    """The tree of a program; its `str` is the text again, up to spaces."""
    if len(text) > MAX_CHARACTERS:
        raise FormError(f"a program of {len(text):,} characters, more than {MAX_CHARACTERS:,}")
    reader = _Reader(text.strip())
    program = reader.program(level=0)
    if not reader.at_end:
        raise reader.error("a bracket too many, or something behind the end")
    return program


class _Reader:
    """Recursive descent over the text of a program."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    @property
    def at_end(self) -> bool:
        return self.place == len(self.text)

    def error(self, cause: str) -> FormError:
        """An error that shows the text at the current place."""
        rest = self.text[self.place :].strip()
        return FormError(f"{cause}, at {rest[:20]!r}" if rest else f"{cause}, at the end")

    def program(self, level: int) -> Program:
        """A call or an atom."""
        if level > MAX_LEVELS:
            raise FormError(f"nested in more than {MAX_LEVELS} levels")
        match = _WORD.match(self.text, self.place)
        if match is None:
            raise self.error("a function or a name is missing")
        self.place = match.end()
        word, string = match.groups()
        if string is not None:
            return Atom(string, is_quoted=True)
        if not self._take("("):
            return Atom(word)
        arguments = [self.program(level + 1)]
        while self._take(","):
            arguments.append(self.program(level + 1))
        if not self._take(")"):
            raise self.error(f"the bracket of {word!r} is not closed")
        return Call(word, tuple(arguments))

    def _take(self, mark: str) -> bool:
        """Move past a mark if it comes next, and say whether it did."""
        match = _SPACE.match(self.text, self.place)
        begin = self.place if match is None else match.end()
        if not self.text.startswith(mark, begin):
            return False
        self.place = begin + 1
        return True
