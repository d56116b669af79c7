"""Reading and printing FunQL as the data writes it."""

from collections.abc import Sequence

from lear.core.algebra import Meaning, MeaningTable
from lear.domains.geo.algebra import Negation, Proposition, chain_of_meaning
from lear.domains.geo.function_chain import chain_of, text_of
from lear.domains.geo.program import read_program


def read(form: str, tokens: Sequence[str], table: MeaningTable) -> Meaning:
    """The proposition of a program; the question is not needed."""
    del tokens
    return table.intern(Proposition(chain_of(read_program(form))))


def render(meaning: Meaning) -> str:
    """The program of a meaning; an open end prints as `?`."""
    return f"answer({text_of(chain_of_meaning(meaning))})"


def render_part(meaning: Meaning) -> str:
    """Any meaning as it stands in a program; an open end prints as `?`."""
    if isinstance(meaning, Negation):
        return meaning.operation
    return text_of(chain_of_meaning(meaning))
