"""Small models of our own, which are trained in seconds: of what no model that ships shows."""

from collections.abc import Callable
from pathlib import Path

from lear.parser import Parser
from tests.support.pairs_model import PAIRS_SENTENCES, train_on_pairs
from tests.support.toy_model import TOY_SENTENCES, train_toy

TRAIN: dict[str, Callable[[Path], Parser]] = {"toy": train_toy, "pairs": train_on_pairs}
"""Name -> what trains it in a folder; `pairs` is of a language worked out from pairs."""
OWN_SENTENCES = {"toy": TOY_SENTENCES, "pairs": PAIRS_SENTENCES}
