"""The toy language with a lexicon that leaves choices, and rows with a choice of each sort."""

from dataclasses import replace

from lear.algebra.algebra import Primitive
from lear.benchmark import Example
from lear.lexicon.lexicon import Entry, Lexicon

AMBIGUOUS = [
    Example(("Tom", "sees", "Mary"), "see ( tom , mary )", "", "test:1"),
    Example(("Tom", "sees", "the", "Mary"), "help ( tom , girl )", "", "test:2"),
    Example(("Mary", "looks", "after", "the"), "teach ( mary , carl )", "", "test:3"),
]


def ambiguous(lexicon: Lexicon) -> Lexicon:
    """Add choices within a category, between categories, of a unit of two words, and of a function
    word that also is a name; and make a unit of two function words."""
    units = dict(lexicon.units)
    units["sees",] = (*units["sees",], Entry(Primitive("Action", "help"), 1))
    units["Mary",] = (*units["Mary",], Entry(Primitive("Kind", "girl"), 1))
    look = Entry(Primitive("Attitude", "know"), 1), Entry(Primitive("Action", "teach"), 1)
    units["looks", "after"] = (*units["looks", "after"], *look)
    units["the",] = (Entry(Primitive("Person", "anna"), 1), Entry(Primitive("Person", "carl"), 1))
    units["is", "the"] = (Entry(Primitive("Action", "see"), 1),)
    return replace(lexicon, units=units)
