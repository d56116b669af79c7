"""FunQL programs as trees, read from text and printed to it.

`answer(capital(loc_2(stateid('texas'))))` is a call of a call of a call. Names of things are calls
too (`cityid('austin', 'tx')`); atoms are bare words, quoted strings, numbers and `_`.
"""

import re
from dataclasses import dataclass

from lear.errors import FormError

MOST_LEVELS = 100
"""How deeply calls may be nested; real programs have less than ten levels."""
_WORD = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?)|'([^']*)')")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Atom:
    """What has no parts: `all`, `var0`, `0`, `_`, or a string that stands in quotes."""

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
    """The tree of a program; `str` of it gives the text back, but for spaces."""
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
        """An error that shows where it is."""
        rest = self.text[self.place :].strip()
        return FormError(f"{cause}, at {rest[:20]!r}" if rest else f"{cause}, at the end")

    def program(self, level: int) -> Program:
        """A call or an atom."""
        if level > MOST_LEVELS:
            raise FormError(f"nested in more than {MOST_LEVELS} levels")
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
        """Go over a mark, if it is the next one."""
        match = _SPACE.match(self.text, self.place)
        begin = self.place if match is None else match.end()
        if not self.text.startswith(mark, begin):
            return False
        self.place = begin + 1
        return True
