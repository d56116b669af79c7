"""Shapes to search under, and sentences in which they matter."""

from dataclasses import replace

from lear.domain import Shape
from lear.forest.oracle import Oracle

SHAPES = (
    Shape(beside=1, between=1),
    Shape(beside=2, between=2),
    Shape(beside=0, between=2),
    Shape(beside=1, between=1, after=False),
    Shape(beside=2, between=0, after=False),
    Shape(beside=2, between=1, after=False),
)

SHAPED_SENTENCES = tuple(
    tuple(text.split())
    for text in (
        "Tom sees the girl",
        "the girl of sees Tom",  # words on both sides of an argument
        "girl of sees girl by",  # words behind an argument, in the middle and at the end
        "Tom sees girl the of",  # two words at the end
        "of the girl is by sees Tom",  # two words before, two words between
        "Tom is sees by of Mary",
        "girl the is girl the",  # nothing that can be put together
    )
)


def reshaped(oracle: Oracle, shape: Shape) -> Oracle:
    """The same domain with another shape."""
    domain = oracle.domain
    syntax = replace(domain.syntax, shape=shape)
    return Oracle.of(replace(domain, syntax=syntax), oracle.lexicon)
