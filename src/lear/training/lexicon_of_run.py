"""The lexicon that the settings of a run ask for."""

from collections.abc import Sequence

from lear.core.lexicon import Lexicon
from lear.domain.domain import Domain
from lear.domain.example import Example, Gazetteer
from lear.errors import UsageError
from lear.training.needed_entries import without_needless_entries
from lear.training.run_config import RunConfig


def make_lexicon(
    config: RunConfig, domain: Domain, examples: Sequence[Example], gazetteer: Gazetteer
) -> Lexicon:
    """The lexicon of training rows, or one with outside knowledge."""
    words = domain.words
    makers = {"induced": words.induce, "related": words.related, "by_hand": words.by_hand}
    make = makers[config.lexicon]
    if make is None:
        lacks = {"related": "no thesaurus", "by_hand": "no entries by hand"}[config.lexicon]
        raise UsageError(f"domain {domain.name!r} has {lacks}: lexicon = 'induced'")
    lexicon = make(examples, gazetteer)
    if not words.max_needless or config.lexicon == "by_hand":
        return lexicon
    return without_needless_entries(lexicon, domain, examples, words.max_needless)
