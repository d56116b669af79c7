"""Rows of the toy language."""

from lear.benchmark import PARTS
from lear.domains.toy import generate

TOY_PARTS = {part: generate(part, seed=1) for part in PARTS}
TRAIN, DEV, TEST = (TOY_PARTS[part] for part in PARTS)
SHORT = [row for row in TRAIN if len(row.tokens) <= 8]
