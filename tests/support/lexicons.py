"""Small lexicons by hand."""

from lear.algebra.algebra import Primitive
from lear.lexicon.lexicon import Lexicon

FRIEND, BEST_FRIEND = Primitive("Relation", "friend"), Primitive("Relation", "best_friend")
FRIENDS = Lexicon.from_counts(
    "toy",
    {
        (("friend",), FRIEND): 2,
        (("friend",), BEST_FRIEND): 5,
        (("best", "friend"), BEST_FRIEND): 3,
    },
    {"the": 7},
)

SMALL_COGS = Lexicon.from_counts(
    "cogs",
    {
        (("cake",), Primitive("Noun", "cake")): 1,
        (("box",), Primitive("Noun", "box")): 1,
        (("Emma",), Primitive("Name", "Emma")): 1,
        (("Liam",), Primitive("Name", "Liam")): 1,
        (("gave",), Primitive("Verb", "give", "agent theme")): 1,
        (("wanted",), Primitive("Verb", "want", "agent theme")): 1,
        (("sleep",), Primitive("Verb", "sleep", "agent")): 1,
    },
    dict.fromkeys(("a", "A", "the", "The", "in", "by", "to", "was", "that", "."), 1),
)
