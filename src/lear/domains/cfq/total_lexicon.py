"""What the units of CFQ mean in the total algebra, and lists of names as units.

The units are those of the strict algebra. In "M0 , M1 ,and M2" a comma says what "and" says, so
networks see one word for both; and a list of names is one unit, since it means what a name means.
"""

from collections.abc import Iterator, Sequence

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import Lexicon, Primitive, Unit
from lear.domains.cfq.lexicon import IMPLIES
from lear.domains.cfq.query_text import is_entity
from lear.domains.cfq.total_algebra import Attribute, Directed, Fact, Names, Relation

LIST_WORDS = ("and", ",", ",and")


def seen_as(word: str) -> str:
    """One word for all list words."""
    return LIST_WORDS[0] if word in LIST_WORDS else word


def join_units(units: Iterator[Unit], lexicon: Lexicon) -> Iterator[Unit]:
    """Units, with each list of names as one."""
    del lexicon
    pending: list[str] = []
    """A list of names so far, with a list word at its end or without."""
    for unit in units:
        word = unit[0] if len(unit) == 1 else ""
        ends_with_name = bool(pending) and pending[-1] not in LIST_WORDS
        if (word in LIST_WORDS) if ends_with_name else is_entity(word):
            pending.append(word)
        else:
            yield from _flushed(pending)
            pending = [word] if is_entity(word) else []
            if not pending:
                yield unit
    yield from _flushed(pending)


def _flushed(pending: list[str]) -> Iterator[Unit]:
    """A list as one unit; a list word that no name follows is none of it."""
    if pending and pending[-1] in LIST_WORDS:
        yield tuple(pending[:-1])
        yield (pending[-1],)
    elif pending:
        yield tuple(pending)


def joined(unit: Unit) -> Sequence[Primitive]:
    """A list of names, by the names in it."""
    return (Primitive("Name", " ".join(filter(is_entity, unit))),)


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive, the same at every token."""
    del position
    match primitive.type:
        case "Name":
            return table.intern(Names(tuple(primitive.symbol.split())))
        case "Attribute":
            relation, value = primitive.symbol.split()
            return table.intern(Attribute((Fact(relation, value),), primitive.feature))
        case _:
            word_class, _, implied = primitive.feature.partition(IMPLIES)
            relations = (Directed(primitive.symbol, implied),)
            return table.intern(Relation(relations, word_class=word_class))
