"""Coverage: the share of rows whose meaning some derivation reaches exactly."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from lear.algebra import MeaningTable
from lear.domain import Example
from lear.errors import SearchLimitError
from lear.oracle import Oracle
from lear.reward import logic_reward


@dataclass(frozen=True, slots=True)
class Reached:
    """A row whose gold meaning has this many derivations."""

    example: Example
    num_derivations: int


class Unreached(msgspec.Struct, frozen=True):
    """A row out of reach: one line of the JSONL that `lear coverage --unreachable` writes."""

    source: str
    category: str
    sentence: str
    form: str
    reason: str
    nearest: str | None
    """The form in reach that agrees best with gold, if any is."""
    nearest_reward: float
    """Their logic-based reward; 0 where nothing is in reach."""


def coverage(oracle: Oracle, examples: Iterable[Example]) -> Iterator[Reached | Unreached]:
    """The outcome of each row, in order; a form that cannot be read stops with its row named."""
    for example in examples:
        table = MeaningTable(oracle.domain.algebra)
        gold = oracle.domain.read_gold(example, table)
        try:
            forest = oracle.forest(example.tokens, gold, table)
        except SearchLimitError as error:
            yield _unreached(oracle, example, str(error))
            continue
        if forest is not None:
            yield Reached(example, forest.count())
        else:
            yield _unreached(oracle, example, _reason(oracle, example))


def _reason(oracle: Oracle, example: Example) -> str:
    readable = {
        position
        for mention in oracle.lexicon.mentions(example.tokens, oracle.domain.unknown)
        for position in range(mention.begin, mention.end)
    }
    lost = [
        word
        for position, word in enumerate(example.tokens)
        if position not in readable and word not in oracle.lexicon.function_words
    ]
    return f"words without a meaning: {' '.join(lost)}" if lost else "no derivation"


def _unreached(oracle: Oracle, example: Example, reason: str) -> Unreached:
    domain = oracle.domain
    table = MeaningTable(domain.algebra)
    gold = domain.read_gold(example, table)
    try:
        nearest = oracle.nearest(example.tokens, gold, table)
    except SearchLimitError:
        nearest = None
    return Unreached(
        source=example.source,
        category=example.category,
        sentence=example.sentence,
        form=example.form,
        reason=reason,
        nearest=None if nearest is None else domain.render(nearest),
        nearest_reward=0.0 if nearest is None else logic_reward(domain, nearest, gold),
    )
