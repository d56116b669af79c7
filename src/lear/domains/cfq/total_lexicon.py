"""What the units of CFQ mean in the total algebra; they are those of the strict one."""

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import Primitive
from lear.domains.cfq.lexicon import IMPLIES
from lear.domains.cfq.total_algebra import Attribute, Directed, Fact, Names, Relation

LIST_WORDS = (",", ",and")


def seen_as(word: str) -> str:
    """A comma between members of a list says what "and" says: "M0 , M1 ,and M2"."""
    return "and" if word in LIST_WORDS else word


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive, the same at every token."""
    del position
    match primitive.type:
        case "Name":
            return table.intern(Names((primitive.symbol,)))
        case "Attribute":
            relation, value = primitive.symbol.split()
            return table.intern(Attribute((Fact(relation, value),), primitive.feature))
        case _:
            word_class, _, implied = primitive.feature.partition(IMPLIES)
            relations = (Directed(primitive.symbol, implied),)
            return table.intern(Relation(relations, word_class=word_class))
