"""Rows of the ambiguous toy lexicon, each with a choice of another sort."""

from lear.benchmark import Example

AMBIGUOUS = [
    Example(("Tom", "sees", "Mary"), "see ( tom , mary )", "", "test:1"),
    Example(("Tom", "sees", "the", "Mary"), "help ( tom , girl )", "", "test:2"),
    Example(("Mary", "looks", "after", "the"), "teach ( mary , carl )", "", "test:3"),
]
