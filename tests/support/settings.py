"""Settings of the policy that differ in how sentences become trees, and policies under them."""

from collections.abc import Sequence

import msgspec
import torch

from lear.benchmark import Example
from lear.grammar.reading import SentenceReader
from lear.model.config import ModelConfig, OptimConfig, Vocabulary
from lear.model.network import Network
from lear.policy.gradient import ReinforceObjective
from tests.support.policy import Policy
from tests.support.small_domains import SmallDomain

NAMES = ("units", "leaf_symbols", "nothing", "encoder", "abstraction")
LEAVES = [
    (units, *who)
    for units in ("found", "composed")
    for who in (("typed", "interpreter"), ("free", "interpreter"), ("free", "composer"))
]
"""The first is the paper's, the last the default."""
STATES = [
    ("tree", True), ("tree", False), ("contextual", True), ("contextual", False), ("span", True),
]  # fmt: skip
VALUES = [
    (*leaves, *states)
    for leaves in LEAVES
    for states in STATES
    if states == STATES[0] or leaves in (LEAVES[0], LEAVES[-1])
]


def settings_of(merging: str) -> dict[str, ModelConfig]:
    """By name: who decides what about leaves, and what states are made of."""
    return {
        " ".join(str(value) for value in values): msgspec.convert(
            {
                "hidden": 5,
                "symbols": "latent",
                "merging": merging,
                **dict(zip(NAMES, values, strict=True)),
            },
            ModelConfig,
        )
        for values in VALUES
    }


def symbols_of(reader: SentenceReader, config: ModelConfig, number: int) -> tuple[str, ...]:
    """So many symbols, or one for each type of leaf."""
    if config.leaf_symbols == "free":
        return tuple(f"N{index}" for index in range(number))
    leaves = reader.leaf_categories()
    return tuple(sorted({reader.categories.argument_symbol(leaf) for leaf in leaves}))


def policy_under(small: SmallDomain, config: ModelConfig, num_symbols: int = 2) -> Policy:
    """The policy of a new network."""
    torch.manual_seed(7)
    is_nothing_chosen = config.nothing == "interpreter"
    reader = SentenceReader(small.domain, small.lexicon, may_be_nothing=is_nothing_chosen)
    symbols = symbols_of(reader, config, num_symbols)
    config = msgspec.structs.replace(config, nonterminals=len(symbols))
    vocabulary = Vocabulary.of(reader, symbols)
    network = Network(config, vocabulary).double()
    categories = reader.categories.restricted(None, by_types=config.legality != "any")
    return Policy.of(network, reader, categories)


def objective_on(
    policy: Policy, rows: Sequence[Example], config: OptimConfig
) -> ReinforceObjective:
    """REINFORCE on some rows."""
    transitions = policy.transitions
    reader, categories = transitions.reader, transitions.categories
    return ReinforceObjective.of(reader, categories, policy.network, rows, config)
