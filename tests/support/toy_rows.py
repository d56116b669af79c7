"""Rows of the toy language."""

from lear.domain.example import PARTS
from lear.domains.toy.corpus import generate

TOY_PARTS = {part: generate(part, seed=1) for part in PARTS}
TRAIN, DEV, TEST = (TOY_PARTS[part] for part in PARTS)
SHORT = [row for row in TRAIN if len(row.tokens) <= 8]
