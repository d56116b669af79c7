"""When a prediction is right: letter for letter, strictly, and in the published sense."""

from collections.abc import Callable
from typing import NamedTuple

from lear.core.algebra import Meaning, MeaningTable
from lear.domain.domain import Domain
from lear.domain.example import Example
from lear.errors import FormError


class Verdict(NamedTuple):
    """In which senses a prediction is right; each sense includes the ones before it."""

    text: bool
    """The form is the official text, letter for letter."""
    exact: bool
    """The meaning is gold's: the strict sense."""
    lenient: bool
    """They agree in what the published evaluation compares."""
    denotation: bool | None = None
    """Running it gives what running gold gives; None where gold was not run."""


WRONG = Verdict(text=False, exact=False, lenient=False)
RIGHT = Verdict(text=True, exact=True, lenient=True)


def same_answer(execute: Callable[[str], object], gold: str, form: str | None) -> bool | None:
    """Whether a form gives the answer that gold gives; None if gold cannot be run.

    A form that cannot be run has no answer, which is not the same as an empty one.
    """
    try:
        expected = execute(gold)
    except FormError:
        return None
    try:
        return form is not None and execute(form) == expected
    except FormError:
        return False


def judge(domain: Domain, row: Example, form: str | None, meaning: Meaning | None) -> Verdict:
    """Compare an answer, form and meaning, with a row's form; no answer is a wrong one."""
    if form == row.form:
        return RIGHT
    if meaning is None:
        return WRONG
    gold = domain.language.read_gold(row, MeaningTable(domain.language.algebra))
    # Printing is canonical: equal meanings print alike, whatever the official text looks like.
    exact = domain.language.render(gold) == domain.language.render(meaning)
    compared = domain.metrics.lenient
    lenient = exact or (compared is not None and compared(meaning) == compared(gold))
    return Verdict(text=False, exact=exact, lenient=lenient)
