"""Which operations training speaks for: the stricter setting of `model.legality`.

The published code keeps files that say which verbs take which roles. Here the same knowledge comes
from the training pairs: an operation is attested on arguments of some categories if a derivation of
some training meaning uses it there.
"""

from collections.abc import Iterable

from lear.categories import Attested
from lear.domain import Domain, Example
from lear.errors import SearchLimitError
from lear.lexicon import Lexicon
from lear.oracle import Oracle
from lear.rules import rules_in


def attested_steps(
    domain: Domain, lexicon: Lexicon, examples: Iterable[Example]
) -> tuple[Attested, ...]:
    """The operations, with what they show of their arguments, that derivations of gold use."""
    oracle = Oracle(domain, lexicon)
    found: set[Attested] = set()
    for example in examples:
        try:
            forest = oracle.gold_forest(example)
        except SearchLimitError:
            continue
        if forest is not None:
            rules = rules_in(domain, forest, example.tokens)
            found.update((rule.operation, rule.symbols) for rule in rules)
    return tuple(sorted(found))
