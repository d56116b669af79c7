"""Calibration: measured plainly, fitted to what is true, on rows that a model did not see."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.answering.request import MAX_SCARCE
from lear.benchmark import Example
from lear.domains.registry import find_benchmark
from lear.domains.toy import TOY
from lear.errors import DataError
from lear.learning.calibration import (
    LEAST_SURE,
    MAX_ANSWERS,
    MAX_LEFT_OUT,
    Outcome,
    fit,
    measure,
    rare_word_outcomes,
    reliability_svg,
    risk_coverage_svg,
)
from lear.learning.config import ANY_DOMAIN, find_recipe, load_config
from lear.learning.cross_fitting import cross_outcomes, folds
from lear.lexicon.lexicon import Lexicon
from lear.model.config import TRAITS, Calibration, Trait
from lear.parser import Parser
from tests.support.toy_model import train_toy
from tests.support.toy_rows import DEV, TRAIN

ANSWERS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


def tempered(margin: float, temperature: float) -> float:
    """How likely the better of two answers is, if their scores differ by a margin."""
    return 1 / (1 + math.exp(-margin / temperature))


def outcomes_of(true: Calibration, number: int, trait: Trait | None = None) -> list[Outcome]:
    """Answers that are right as often as a calibration says; half of them may have a trait."""
    rng = np.random.default_rng(5)
    found = []
    for index in range(number):
        traits: dict[Trait, int] = {} if trait is None else {trait: index % 2}
        outcome = Outcome(False, partial(tempered, rng.exponential(4.0)), traits)
        is_right = bool(rng.random() < outcome.probability(true))
        found.append(outcome._replace(is_right=is_right))
    return found


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0, 5.0])
def test_fitting_finds_the_temperature_that_answers_were_made_with(temperature: float) -> None:
    outcomes = outcomes_of(Calibration(temperature), 4000)
    found = fit(outcomes, "our own")
    assert found.temperature == pytest.approx(temperature, rel=0.15)
    assert found.fitted_on == "our own"


@pytest.mark.parametrize("trait", TRAITS)
@pytest.mark.parametrize("factor", [0.3, 0.8])
def test_fitting_finds_what_a_trait_costs(trait: Trait, factor: float) -> None:
    with_trait = outcomes_of(_costing(trait, factor), 4000, trait)
    found = fit(with_trait, "")
    assert getattr(found, trait) == pytest.approx(factor, abs=0.06)
    assert found.temperature == pytest.approx(2.0, rel=0.2)
    # What few rows show is fitted on others that do, and nothing else changes.
    own = outcomes_of(Calibration(2.0), 500)
    plain, helped = fit(own, ""), fit(own, "", with_trait)
    assert getattr(plain, trait) == pytest.approx(0.5, abs=0.02)
    assert getattr(helped, trait) == pytest.approx(factor, abs=0.06)
    assert msgspec.structs.replace(helped, **{trait: getattr(plain, trait)}) == plain
    # What rows show often is fitted on them alone.
    assert fit(with_trait, "", outcomes_of(Calibration(), 500, trait)) == found


def _costing(trait: Trait, factor: float) -> Calibration:
    return msgspec.structs.replace(Calibration(2.0), **{trait: factor})


@pytest.mark.parametrize("is_right", [True, False])
def test_without_both_verdicts_nothing_is_known_of_the_temperature(is_right: bool) -> None:
    outcomes = [Outcome(is_right, partial(tempered, 2.0), {})] * 10
    assert fit(outcomes, "").temperature == 1.0
    assert fit([], "").temperature == 1.0


def test_fitting_lowers_the_loss() -> None:
    true = Calibration(4.0, guessed=0.4)
    outcomes = outcomes_of(true, 1000, "guessed")
    right = [outcome.is_right for outcome in outcomes]

    def loss(calibration: Calibration) -> float:
        return measure([o.probability(calibration) for o in outcomes], right).log_loss

    fitted = fit(outcomes, "")
    assert loss(fitted) < loss(Calibration())
    for other in (0.5, 0.8, 1.25, 2.0):
        changed = msgspec.structs.replace(fitted, temperature=other * fitted.temperature)
        assert loss(fitted) <= loss(changed) + 1e-3
    assert measure([o.probability(fitted) for o in outcomes], right).ece < 0.05


def test_the_default_calibration_changes_nothing() -> None:
    traits: dict[Trait, int] = dict.fromkeys(TRAITS, 3)
    assert Calibration().factor(traits) == 1.0
    halved = Calibration(guessed=0.5, novel=0.5)
    assert halved.factor({"guessed": 2, "novel": 1, "scarce": 9}) == 0.125


@pytest.mark.parametrize(
    ("right", "wrong", "auc"),
    [
        ([0.9, 0.8], [0.3], 1.0),
        ([0.1], [0.3, 0.2], 0.0),
        ([0.5], [0.5], 0.5),
        ([0.9, 0.2], [0.5], 0.5),
        ([0.9, 0.5], [0.5, 0.1], 0.875),
    ],
)
def test_auc_counts_pairs(right: list[float], wrong: list[float], auc: float) -> None:
    verdicts = [True] * len(right) + [False] * len(wrong)
    assert measure([*right, *wrong], verdicts).auc == pytest.approx(auc)


def test_without_right_or_without_wrong_answers_there_is_no_auc() -> None:
    assert math.isnan(measure([0.5], [True]).auc)
    assert math.isnan(measure([0.5], [False]).auc)


@pytest.mark.parametrize(
    ("probabilities", "verdicts", "ece"),
    [
        ([0.75] * 4, [True, True, True, False], 0.0),
        ([1.0] * 4, [True, True, False, False], 0.5),
        ([0.0] * 4, [True, True, True, True], 1.0),
        ([0.95, 0.95, 0.15, 0.15], [True, True, False, False], (0.05 + 0.15) / 2),
    ],
)
def test_ece_is_the_distance_of_belief_and_frequency(
    probabilities: list[float], verdicts: list[bool], ece: float
) -> None:
    assert measure(probabilities, verdicts).ece == pytest.approx(ece)


def test_the_least_sure_answers_are_looked_at() -> None:
    probabilities = [0.01 * number for number in range(100)]
    verdicts = [number >= 9 for number in range(100)]
    assert measure(probabilities, verdicts).least_sure_wrong == pytest.approx(9 / 12)
    assert math.isnan(measure([0.5], [True]).least_sure_wrong)
    assert LEAST_SURE == 0.12


def test_risk_falls_if_only_sure_answers_are_given() -> None:
    report = measure([0.9, 0.8, 0.3, 0.1], [True, True, False, False])
    assert report.risk_coverage == ((0.25, 0.0), (0.5, 0.0), (0.75, 1 / 3), (1.0, 0.5))


@given(ANSWERS)
def test_reports_hold_together(answers: list[tuple[float, bool]]) -> None:
    probabilities, verdicts = [p for p, _ in answers], [verdict for _, verdict in answers]
    report = measure(probabilities, verdicts)
    assert (report.n, report.num_right) == (len(answers), sum(verdicts))
    assert sum(b.n for b in report.bins) == report.n
    assert sum(b.n * b.share_right for b in report.bins) == pytest.approx(report.num_right)
    assert 0 <= report.ece <= 1
    assert report.log_loss >= 0
    assert math.isnan(report.auc) or 0 <= report.auc <= 1
    coverages = [coverage for coverage, _ in report.risk_coverage]
    assert coverages == sorted(coverages)
    assert report.risk_coverage[-1] == pytest.approx((1.0, 1 - report.num_right / report.n))
    # The order of answers means nothing, but for those that are equally likely.
    mirrored = measure(probabilities[::-1], verdicts[::-1])
    assert mirrored.ece == pytest.approx(report.ece)
    assert mirrored.auc == pytest.approx(report.auc, nan_ok=True)


def test_pictures_are_whole_whatever_the_title() -> None:
    report = measure([0.9, 0.35, 0.3], [True, False, True])
    for picture in (reliability_svg, risk_coverage_svg):
        for title in ("geo/standard dev", "<b> & \"quotes\" 'too' ]]>", ""):
            root = ElementTree.fromstring(picture(report, title))
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert root[0].text == (title or None)
    dots = reliability_svg(report, "").count("<circle")
    assert dots == len(report.bins) == 2


def test_no_answers_are_no_error() -> None:
    report = measure([], [])
    assert (report.n, report.bins, report.risk_coverage) == (0, (), ())
    for picture in (reliability_svg, risk_coverage_svg):
        ElementTree.fromstring(picture(report, "nothing"))


# Words held out.


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
    outcomes = list(rare_word_outcomes(parser, TRAIN, DEV, make, seed))
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
    assert list(rare_word_outcomes(parser, TRAIN[:3], DEV, make, 1)) == []
    assert list(rare_word_outcomes(parser, TRAIN, [], make, 1)) == []
    assert make.rows == []


# Folds.


def row(number: int, form: str) -> Example:
    return Example((f"w{number}",), form, "", f"row {number}")


@pytest.mark.parametrize("seed", range(5))
def test_folds_are_a_partition_and_keep_forms_together(seed: int) -> None:
    rows = [row(number, f"form {number % 13}") for number in range(60)]
    parts = folds(rows, 4, seed)
    assert sorted(r.source for part in parts for r in part) == sorted(r.source for r in rows)
    forms = [{r.form for r in part} for part in parts]
    assert sum(map(len, forms)) == 13
    assert max(map(len, parts)) - min(map(len, parts)) <= 6


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_a_model_cannot_tell_apart_stay_together(seed: int) -> None:
    """Two of four are one sentence to it, and each of these has the form of another one."""
    rows = [row(number, f"form {number // 2}") for number in range(60)]

    def view(tokens: tuple[str, ...]) -> tuple[str, ...]:
        number = int(tokens[0][1:])
        return (f"name {number // 4}",) if number % 4 in (1, 2) else tokens

    parts = folds(rows, 4, seed, view)
    assert sorted(r.source for part in parts for r in part) == sorted(r.source for r in rows)
    fours = [{int(r.tokens[0][1:]) // 4 for r in part} for part in parts]
    assert sum(map(len, fours)) == 15


def test_rows_of_few_forms_cannot_be_cut() -> None:
    with pytest.raises(DataError, match="2 different forms cannot be cut into 3 folds"):
        folds([row(number, f"form {number % 2}") for number in range(9)], 3, 1)


@pytest.mark.slow
def test_every_row_is_answered_by_a_model_that_did_not_see_it() -> None:
    domain, benchmark = find_benchmark("toy")
    overrides = {"benchmark": f'"{benchmark.name}"', "curriculum": "[{epochs = 2}]"}
    config = load_config(find_recipe(ANY_DOMAIN), overrides)
    rows = {"train": list(TRAIN[:40]), "dev": list(DEV[:5])}
    outcomes = list(cross_outcomes(config, domain, rows, 2))
    assert 0 < len(outcomes) <= 40
    assert all(0 <= outcome.probability_at(1.0) <= 1 for outcome in outcomes)
    again = cross_outcomes(msgspec.structs.replace(config), domain, rows, 2)
    assert [o.is_right for o in again] == [o.is_right for o in outcomes]
