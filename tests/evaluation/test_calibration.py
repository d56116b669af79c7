"""Whether probabilities hold is measured plainly, and fitting finds what is known to be true."""

import math
from functools import partial
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.learning.calibration import (
    LEAST_SURE,
    Outcome,
    fit,
    measure,
    reliability_svg,
    risk_coverage_svg,
)
from lear.model.config import TRAITS, Calibration, Trait

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
    true = msgspec.structs.replace(Calibration(2.0), **{trait: factor})
    found = fit(outcomes_of(true, 4000, trait), "")
    assert getattr(found, trait) == pytest.approx(factor, abs=0.06)
    assert found.temperature == pytest.approx(2.0, rel=0.2)


def test_what_no_answer_shows_is_worth_about_one_half() -> None:
    found = fit(outcomes_of(Calibration(), 500), "")
    for trait in TRAITS:
        assert getattr(found, trait) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("trait", TRAITS)
@pytest.mark.parametrize("factor", [0.3, 0.98])
def test_what_rows_do_not_show_is_fitted_on_others_that_do(trait: Trait, factor: float) -> None:
    true = msgspec.structs.replace(Calibration(), **{trait: factor})
    own, others = outcomes_of(true, 500), outcomes_of(true, 4000, trait)
    found = fit(own, "", others)
    assert getattr(found, trait) == pytest.approx(factor, abs=0.06)
    # And nothing else changes, whatever else the other answers are.
    plain = fit(own, "")
    assert msgspec.structs.replace(found, **{trait: getattr(plain, trait)}) == plain


@pytest.mark.parametrize("trait", TRAITS)
def test_what_rows_show_often_is_fitted_on_them_alone(trait: Trait) -> None:
    own = outcomes_of(msgspec.structs.replace(Calibration(), **{trait: 0.4}), 500, trait)
    others = outcomes_of(Calibration(), 4000, trait)
    assert fit(own, "", others) == fit(own, "")


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
    for picture in (reliability_svg, risk_coverage_svg):
        ElementTree.fromstring(picture(report, "answers"))


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
