"""What derivations of training meanings show, before anything is learned.

The published code keeps files that say which verbs take which roles. Here the same knowledge comes
from the training pairs: an operation is attested on arguments of some categories if a derivation of
some training meaning uses it there. `model.legality = "attested"` allows nothing else.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from lear.categories import Attested
from lear.domain import Domain, Example
from lear.errors import SearchLimitError
from lear.lexicon import Lexicon
from lear.oracle import Oracle
from lear.rules import rules_in


class Evidence(NamedTuple):
    """What occurs in derivations of gold."""

    steps: tuple[Attested, ...]
    """Operations, with what they show of their arguments."""
    symbols: tuple[str, ...]
    """What grammars see of the constituents as arguments."""
    num_silent: int = 0
    """Rows beyond the search limit or out of reach, which show nothing."""


def gather(domain: Domain, lexicon: Lexicon, examples: Iterable[Example]) -> Evidence:
    """Go through all derivations of all training meanings."""
    oracle = Oracle(domain, lexicon)
    steps: set[Attested] = set()
    symbols: set[str] = set()
    num_silent = 0
    for example in examples:
        forest = None
        with suppress(SearchLimitError):
            forest = oracle.gold_forest(example)
        if forest is None:
            num_silent += 1
        else:
            rules = rules_in(domain, forest, example.tokens)
            steps.update((rule.operation, rule.symbols) for rule in rules)
            symbols.update(domain.closed(item.value) for item in forest.items())
    return Evidence(tuple(sorted(steps)), tuple(sorted(symbols)), num_silent)
