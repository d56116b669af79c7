"""The decoder that a model was trained for: chart or greedy."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lear.decoding.chart_decoder import DEFAULT_BUDGET, ChartDecoder
from lear.decoding.limits import Limits
from lear.errors import DataError
from lear.grammar.sentence_reader import SentenceReader
from lear.model.model_file import Model

if TYPE_CHECKING:
    from lear.decoding.greedy_decoder import GreedyDecoder


MAX_UNFIT = 0.1
"""The share of a model's rules that its domain may have no use for."""


def decoder_of_model(
    model: Model, reader: SentenceReader, limits: Limits, max_remembered: int
) -> "ChartDecoder | GreedyDecoder":
    """The decoder of a model, over the categories that it may use."""
    header, forward = model.header, model.forward
    categories = reader.categories.restricted(
        header.attested, by_types=header.config.legality != "any"
    )
    try:
        leaves = reader.leaf_categories()
    except LookupError as error:
        reason = f"its lexicon does not fit domain {reader.domain.name!r}: {error}"
        raise DataError(f"not a model to be used: {reason}") from None
    if header.decoding == "greedy":
        from lear.decoding.greedy_decoder import GreedyDecoder  # only some models need it

        return GreedyDecoder(forward, reader, categories)
    budget = replace(DEFAULT_BUDGET, combinations=limits.combinations)
    bounds = budget, max_remembered
    return ChartDecoder(forward, categories, header.rules, leaves, *bounds, model.legal)


def check_rules(
    path: Path, decoder: "ChartDecoder | GreedyDecoder", num_rules: int, domain: str
) -> None:
    """Raise `DataError` unless the rules of a model file fit its domain.

    A rarely used rule may be cut off from the others; many are in another grammar only.
    """
    if isinstance(decoder, ChartDecoder) and decoder.num_unfit > MAX_UNFIT * num_rules:
        raise DataError(
            f"{path}: {decoder.num_unfit} of its {num_rules} rules do not fit domain {domain!r} "
            "as it is now; train it anew"
        )
