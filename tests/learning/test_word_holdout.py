"""Rare and unknown words are measured on rows whose words a lexicon was hardly shown."""

from collections import Counter
from collections.abc import Sequence

import pytest

from lear.answering.request import MAX_SCARCE
from lear.benchmark import Example
from lear.domains.toy import TOY
from lear.learning.calibration import MAX_ANSWERS, MAX_LEFT_OUT, Outcome, word_holdout_outcomes
from lear.lexicon.lexicon import Lexicon
from lear.parser import Parser
from tests.support.toy_model import train_toy
from tests.support.toy_rows import DEV, TRAIN


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Parser:
    return train_toy(tmp_path_factory.mktemp("toy") / "run")


class Recorder:
    """Makes lexicons, and remembers of which rows."""

    def __init__(self) -> None:
        self.rows: list[Sequence[Example]] = []

    def __call__(self, rows: Sequence[Example]) -> Lexicon:
        self.rows.append(rows)
        return TOY.words.induce(rows, ())


def held_out(parser: Parser, seed: int) -> tuple[list[Outcome], Sequence[Example]]:
    """The answers, and the rows that the lexicon was made of."""
    make = Recorder()
    outcomes = list(word_holdout_outcomes(parser, TRAIN, DEV, make, seed))
    (shown,) = make.rows
    return outcomes, shown


@pytest.mark.parametrize("seed", range(3))
def test_a_few_words_are_hardly_shown_and_all_others_as_often(parser: Parser, seed: int) -> None:
    _, shown = held_out(parser, seed)
    before, after = (Counter(w for r in rows for w in set(r.tokens)) for rows in (TRAIN, shown))
    assert len(shown) >= (1 - MAX_LEFT_OUT) * len(TRAIN)
    hardly = [word for word in before if after[word] <= MAX_SCARCE < before[word]]
    assert hardly
    assert all((word,) in parser.model.lexicon.units for word in hardly)
    assert [row for row in TRAIN if row in shown] == list(shown)


def test_answers_show_the_traits_that_rows_lack(parser: Parser) -> None:
    outcomes = [outcome for seed in range(3) for outcome in held_out(parser, seed)[0]]
    assert 0 < len(outcomes) <= 3 * MAX_ANSWERS
    assert any(outcome.traits["scarce"] for outcome in outcomes)


def test_the_same_seed_gives_the_same(parser: Parser) -> None:
    one, other = held_out(parser, 1)[0], held_out(parser, 1)[0]
    assert [(o.is_right, o.traits) for o in one] == [(o.is_right, o.traits) for o in other]


def test_a_trained_model_says_that_words_were_held_out(parser: Parser) -> None:
    assert "with words held out" in parser.calibration.fitted_on


def test_where_nothing_can_be_held_out_there_is_no_answer(parser: Parser) -> None:
    make = Recorder()
    assert list(word_holdout_outcomes(parser, TRAIN[:3], DEV, make, 1)) == []
    assert list(word_holdout_outcomes(parser, TRAIN, [], make, 1)) == []
    assert make.rows == []
