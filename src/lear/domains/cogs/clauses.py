"""The clauses of a COGS form, as text and as values; `clauses_to_meaning` reads what they mean.

`* girl ( x _ 1 )` is Atom(("girl",), (1,), is_definite=True) and
`eat . agent ( x _ 2 , Emma )` is Atom(("eat", "agent"), (2, "Emma")).
"""

import re
from typing import NamedTuple

from lear.errors import FormError

Argument = int | str
"""A variable, by its token position, or a name."""


class Atom(NamedTuple):
    """One clause of a form: a dotted predicate over variables and names."""

    predicate: tuple[str, ...]
    arguments: tuple[Argument, ...]
    is_definite: bool = False


_ATOM = re.compile(r"(\* )?([^ ()*,;]+(?: \. [^ ()*,;]+)*) \( ([^()]+) \)")
_VARIABLE = re.compile(r"x _ (0|[1-9][0-9]{0,8})")
_NAME = re.compile(r"[^ ()*,;]+")


def read_atom(text: str) -> Atom:
    """Read the text of one clause."""
    match = _ATOM.fullmatch(text)
    if match is None:
        raise FormError(f"not a clause: {text!r}")
    definite, predicate, arguments = match.groups()
    return Atom(
        tuple(predicate.split(" . ")),
        tuple(_read_argument(argument) for argument in arguments.split(" , ")),
        definite is not None,
    )


def _read_argument(text: str) -> Argument:
    if variable := _VARIABLE.fullmatch(text):
        return int(variable[1])
    if _NAME.fullmatch(text):
        return text
    raise FormError(f"neither a variable nor a name: {text!r}")


def render_atom(atom: Atom) -> str:
    """The text of one clause."""
    star = "* " if atom.is_definite else ""
    arguments = " , ".join([f"x _ {a}" if isinstance(a, int) else a for a in atom.arguments])
    return f"{star}{' . '.join(atom.predicate)} ( {arguments} )"


def split_form(form: str) -> list[Atom]:
    """The clauses of a form in their order; those of definite nouns must come first."""
    *definites, rest = form.split(" ; ")
    atoms = [read_atom(text) for text in (*definites, *rest.split(" AND "))]
    for index, atom in enumerate(atoms):
        if atom.is_definite != (index < len(definites)):
            raise FormError(f"misplaced definite clause: {render_atom(atom)!r}")
    return atoms
