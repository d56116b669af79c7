"""The calibration of a trained model, fitted on rows that it was not trained on."""

from collections.abc import Sequence

from lear.core.lexicon import Lexicon
from lear.domain.example import Example, Gazetteer
from lear.evaluation.calibration import Outcome, fit
from lear.model.calibration import Calibration
from lear.parser import Parser
from lear.training.lexicon_of_run import make_lexicon
from lear.training.run_config import RunConfig
from lear.training.word_holdout import word_holdout_outcomes


def held_out_words(
    config: RunConfig,
    parser: Parser,
    train: Sequence[Example],
    unseen: Sequence[Example],
    gazetteer: Gazetteer = (),
) -> list[Outcome]:
    """Answers to rows with words of which the lexicon was shown few training rows, or none.

    Args:
        config: The settings that the model was trained with.
        parser: With the model.
        train: Its training rows.
        unseen: Rows that it was not trained on.
        gazetteer: Names for the lexicon.
    """

    def make(rows: Sequence[Example]) -> Lexicon:
        return make_lexicon(config, parser.domain, rows, gazetteer)

    return list(word_holdout_outcomes(parser, train, unseen, make, config.seed))


def fitted_calibration(
    outcomes: Sequence[Outcome], rows: str, with_traits: Sequence[Outcome]
) -> Calibration:
    """A calibration that says what it was fitted on."""
    also = f"; {len(with_traits)} with words held out" if with_traits else ""
    return fit(outcomes, f"{rows}{also}", with_traits)
