"""Whether probabilities hold: how they tell right answers from wrong ones, and fitting them.

An answer's probability is a model's own belief. `measure` compares it with how often answers are
right; `fit` finds the temperature, and what guessed and overlooked words cost, that make belief and
frequency agree best on rows that the model was not trained on.

The answers of a parser to rows, as calibration looks at them.

The rules of training derivations, of a model that was saved without them.

Two pictures of a calibration report, as SVG: reliability, and risk against coverage.

What rare words and unknown ones cost, where dev rows have none: some words are made so.

Some content words are taken out of the training rows but for none, one or two rows each, and a
lexicon is induced of what is left. With it the model answers dev rows that have these words. Its
network stays as it is, so this takes no training; what is measured is whether so few rows teach
what a word means, and what becomes of an answer if they do not.

The calibration of a trained model, fitted on rows that it was not trained on.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from itertools import islice
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from lear.answering.request import MAX_SCARCE
from lear.benchmark import Example, Gazetteer
from lear.errors import LearError
from lear.evaluation.scores import judge
from lear.grammar.rules import Rule
from lear.learning.config import RunConfig
from lear.learning.lexicons import make_lexicon
from lear.lexicon.lexicon import Lexicon
from lear.messages import quiet_notes
from lear.model.config import TRAITS, Calibration, Trait, TraitCounts
from lear.parser import Parser

Floats = NDArray[np.float64]
BINS = 10
LEAST_SURE = 0.12
"""The share of answers that `least_sure_wrong` looks at."""
TEMPERATURES, FACTORS = (0.25, 16.0), (0.05, 1.0)
"""Between these the temperature is looked for, and each factor."""
PRECISION = 0.05
"""Of their logarithms."""
ROUNDS = 3
MIN_SHOWN = 20
"""A trait that fewer rows show is fitted on further answers too, if there are any."""


class Outcome(NamedTuple):
    """An answer: whether it was right, and what its probability depends on."""

    is_right: bool
    probability_at: Callable[[float], float]
    """Temperature -> probability, before factors."""
    traits: TraitCounts

    def probability(self, calibration: Calibration) -> float:
        """How likely the answer is after calibration."""
        return self.probability_at(calibration.temperature) * calibration.factor(self.traits)


class Bin(NamedTuple):
    """The answers whose probabilities are in one tenth of the range."""

    n: int
    mean_probability: float
    share_right: float


@dataclass(frozen=True)
class Report:
    """How far probabilities can be trusted."""

    n: int
    num_right: int
    auc: float
    """How often a right answer has a higher probability than a wrong one; 0.5 is chance."""
    ece: float
    """Expected calibration error: the mean distance of probability and frequency, in ten bins."""
    log_loss: float
    least_sure_wrong: float
    """Of the 12 % least sure answers, the share that are wrong."""
    bins: tuple[Bin, ...]
    risk_coverage: tuple[tuple[float, float], ...]
    """Share of sentences answered, and share of wrong answers among them, the surest first."""


def measure(probabilities: Sequence[float], is_right: Sequence[bool]) -> Report:
    """Compare the probabilities of answers with whether they were right."""
    p = np.array(probabilities, dtype=np.float64)
    right = np.array(is_right, dtype=bool)
    order = np.argsort(-p, kind="stable")
    wrong_so_far = np.cumsum(~right[order])
    num_least = round(LEAST_SURE * len(p))
    least = order[len(p) - num_least :]
    bins = tuple(_bins(p, right))
    return Report(
        n=len(p),
        num_right=int(right.sum()),
        auc=_auc(p[right], p[~right]),
        ece=sum(b.n * abs(b.mean_probability - b.share_right) for b in bins) / max(1, len(p)),
        log_loss=_log_loss(p, right),
        least_sure_wrong=float((~right[least]).mean()) if num_least else math.nan,
        bins=bins,
        risk_coverage=tuple(
            (answered / len(p), wrong / answered)
            for answered, wrong in enumerate(wrong_so_far.tolist(), start=1)
        ),
    )


def _bins(p: Floats, right: NDArray[np.bool_]) -> list[Bin]:
    number = np.minimum((p * BINS).astype(int), BINS - 1)
    return [
        Bin(int(chosen.sum()), float(p[chosen].mean()), float(right[chosen].mean()))
        for chosen in (number == n for n in range(BINS))
        if chosen.any()
    ]


def _auc(right: Floats, wrong: Floats) -> float:
    if not len(right) or not len(wrong):
        return math.nan
    higher = (right[:, None] > wrong).mean() + 0.5 * (right[:, None] == wrong).mean()
    return float(higher)


def _log_loss(p: Floats, right: NDArray[np.bool_]) -> float:
    safe = np.clip(p, 1e-4, 1 - 1e-4)  # one sure mistake must not decide everything
    return float(-np.where(right, np.log(safe), np.log1p(-safe)).mean()) if len(p) else math.nan


def fit(
    outcomes: Sequence[Outcome], fitted_on: str, with_traits: Sequence[Outcome] = ()
) -> Calibration:
    """The calibration with the least log loss on these answers.

    Temperature and factors are fitted in turn. Each factor counts one right and one wrong answer
    more than there are: what no row shows is then worth about one half.

    Args:
        outcomes: Answers to rows that the model was not trained on.
        fitted_on: Which rows these are.
        with_traits: Further answers, to rows that were changed so that they have traits which the
            others lack. They say nothing of the temperature, nor of traits that others often have.
    """
    calibration = Calibration(fitted_on=fitted_on)
    right = np.array([outcome.is_right for outcome in outcomes], dtype=bool)
    rows_of = {trait: _rows_with(trait, outcomes, with_traits) for trait in TRAITS}
    for _ in range(ROUNDS):
        factors = np.array([calibration.factor(o.traits) for o in outcomes])

        def loss_at(temperature: float, factors: Floats = factors) -> float:
            plain = np.array([o.probability_at(temperature) for o in outcomes])
            return _log_loss(plain * factors, right)

        if right.any() and not right.all():
            temperature = round(_least(loss_at, *TEMPERATURES), 4)
            calibration = msgspec.structs.replace(calibration, temperature=temperature)
        for trait in TRAITS:
            value = _fitted_factor(rows_of[trait], calibration, trait)
            calibration = msgspec.structs.replace(calibration, **{trait: value})
    return calibration


def _rows_with(
    trait: Trait, outcomes: Sequence[Outcome], with_traits: Sequence[Outcome]
) -> list[Outcome]:
    """The answers with a trait, further ones only where there are few."""
    own = [outcome for outcome in outcomes if outcome.traits.get(trait)]
    if len(own) >= MIN_SHOWN:
        return own
    return own + [outcome for outcome in with_traits if outcome.traits.get(trait)]


def _fitted_factor(outcomes: Sequence[Outcome], calibration: Calibration, trait: Trait) -> float:
    """The factor of a trait that all these answers have."""
    without = msgspec.structs.replace(calibration, **{trait: 1.0})
    counts = np.array([outcome.traits[trait] for outcome in outcomes])
    others = np.array([outcome.probability(without) for outcome in outcomes])
    verdicts = np.array([*(outcome.is_right for outcome in outcomes), True, False])

    def loss_at(factor: float) -> float:
        return _log_loss(np.append(others * factor**counts, (factor, factor)), verdicts)

    return round(_least(loss_at, *FACTORS), 4)


def _least(loss: Callable[[float], float], low: float, high: float) -> float:
    """Where a function is least, by golden section on the logarithm of its argument."""
    low, high = math.log(low), math.log(high)
    ratio = (math.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    loss_a, loss_b = loss(math.exp(a)), loss(math.exp(b))
    while high - low > PRECISION:
        if loss_a < loss_b:
            high, b, loss_b = b, a, loss_a
            a = high - ratio * (high - low)
            loss_a = loss(math.exp(a))
        else:
            low, a, loss_a = a, b, loss_b
            b = low + ratio * (high - low)
            loss_b = loss(math.exp(b))
    return math.exp((low + high) / 2)


def answer_outcomes(parser: Parser, rows: Iterable[Example]) -> Iterator[Outcome]:
    """One for each row that is answered."""
    for row in rows:
        belief = parser.belief(row.tokens)
        if belief is not None:
            parse = belief.parse
            is_right = judge(parser.domain, row, parse.form, parse.meaning).exact
            yield Outcome(is_right, cache(belief.probability_at), belief.traits)


def training_rules(parser: Parser, rows: Iterable[Example]) -> tuple[Rule, ...]:
    """The rules of the best derivations of rows that a parser gets right, sorted."""
    rules: set[Rule] = set()
    for row in rows:
        parse, of_answer = parser.parse_with_rules(row.tokens)
        if judge(parser.domain, row, parse.form, parse.meaning).exact:
            rules.update(of_answer)
    return tuple(sorted(rules))


SIDE, EDGE = 260, 58
"""Length of an axis, and the space around it, in pixels."""
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#57606a}.title{font-size:13px;fill:#1b1f24}"
    ".axis{stroke:#9aa4ae;fill:none}.ideal{stroke:#9aa4ae;stroke-dasharray:4 4}"
    ".line{stroke:#0b4f9e;fill:none;stroke-width:2}.dot{fill:#0b4f9e}rect{fill:#fff}"
)


def reliability_svg(report: Report, title: str) -> str:
    """How often answers are right, by their probability; the size of a dot is how many they are."""
    dots = "".join(
        f'<circle class="dot" cx="{_x(b.mean_probability):.1f}" cy="{_y(b.share_right):.1f}" '
        f'r="{3 + 11 * (b.n / report.n) ** 0.5:.1f}" fill-opacity="0.75">'
        f"<title>{b.n} answers: probability {b.mean_probability:.2f}, "
        f"right {b.share_right:.2f}</title></circle>"
        for b in report.bins
    )
    ideal = f'<path class="ideal" d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}"/>'
    return _picture(title, ideal + dots, "probability of the answer", "share that are right", 1.0)


def risk_coverage_svg(report: Report, title: str) -> str:
    """The share of wrong answers if only the surest ones are given."""
    top = max(0.05, max((risk for _, risk in report.risk_coverage), default=0.0))
    points = "L".join(
        f"{_x(coverage):.1f} {_y(risk / top):.1f}" for coverage, risk in report.risk_coverage
    )
    line = f'<path class="line" d="M{points}"/>' if points else ""
    return _picture(title, line, "share of sentences answered", "share of wrong answers", top)


def _picture(title: str, body: str, x_label: str, y_label: str, top: float) -> str:
    size = SIDE + 2 * EDGE
    ticks = "".join(
        f'<text x="{_x(part)}" y="{_y(0) + 16}" text-anchor="middle">{part:g}</text>'
        f'<text x="{_x(0) - 6}" y="{_y(part) + 4}" text-anchor="end">{part * top:.2g}</text>'
        for part in (0.0, 0.5, 1.0)
    )
    middle = EDGE + SIDE / 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" role="img">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n"
        f'<rect width="{size}" height="{size}"/>\n'
        f'<text class="title" x="{middle}" y="24" text-anchor="middle">{escape(title)}</text>\n'
        f'<path class="axis" d="M{_x(0)} {_y(1)}L{_x(0)} {_y(0)}L{_x(1)} {_y(0)}"/>\n'
        f"{ticks}\n"
        f'<text x="{middle}" y="{size - 10}" text-anchor="middle">{x_label}</text>\n'
        f'<text transform="translate(14 {middle})rotate(-90)" '
        f'text-anchor="middle">{y_label}</text>\n'
        f"{body}\n</svg>\n"
    )


def _x(share: float) -> float:
    return EDGE + share * SIDE


def _y(share: float) -> float:
    return EDGE + (1 - share) * SIDE


MAX_LEFT_OUT = 0.1
"""The share of training rows that may be left out: other words stay about as frequent."""
MAX_TRAINING_ROWS = 10_000
"""Of more a lexicon is not induced: these are drawn."""
MAX_ANSWERS = 300
"""How many dev rows are answered."""
MakeLexicon = Callable[[Sequence[Example]], Lexicon]


def word_holdout_outcomes(
    parser: Parser,
    train: Sequence[Example],
    dev: Sequence[Example],
    make_lexicon: MakeLexicon,
    seed: int,
) -> Iterator[Outcome]:
    """The answers to dev rows with words of which the lexicon saw no training row, or one or two.

    Args:
        parser: With the trained model.
        train: The training rows.
        dev: Rows that it was not trained on.
        make_lexicon: Makes the lexicon of some training rows.
        seed: Of what is drawn.
    """
    rng = np.random.default_rng(seed)
    train = _drawn(train, MAX_TRAINING_ROWS, rng)
    words = _words_to_hold_out(parser.model.lexicon, train, dev, rng)
    if not words:
        return
    with quiet_notes():
        try:
            lexicon = make_lexicon(_thinned(train, words))
        except LearError:  # so few rows may teach nothing at all
            return
        model = replace(parser.model, lexicon=lexicon)
        other = Parser(model, unknown_words="overlook")
    rows = [row for row in dev if not words.keys().isdisjoint(row.tokens)]
    yield from islice(answer_outcomes(other, rows), MAX_ANSWERS)


def _drawn(rows: Sequence[Example], most: int, rng: np.random.Generator) -> Sequence[Example]:
    if len(rows) <= most:
        return rows
    return [rows[place] for place in sorted(rng.choice(len(rows), most, replace=False).tolist())]


def _words_to_hold_out(
    lexicon: Lexicon, train: Sequence[Example], dev: Sequence[Example], rng: np.random.Generator
) -> dict[str, int]:
    """Content words that dev has, and training often, with the number of rows that each keeps.

    They are as many as rows may be left out.
    """
    counts = Counter(word for row in train for word in set(row.tokens))
    in_dev = sorted({word for row in dev for word in row.tokens if (word,) in lexicon.units})
    left = MAX_LEFT_OUT * len(train)
    chosen: dict[str, int] = {}
    for place in rng.permutation(len(in_dev)).tolist():
        word = in_dev[place]
        if MAX_SCARCE < counts[word] <= left:
            chosen[word] = MAX_SCARCE - len(chosen) % (MAX_SCARCE + 1)
            left -= counts[word]
    return chosen


def _thinned(rows: Sequence[Example], words: Mapping[str, int]) -> list[Example]:
    """The rows, but of those with these words only the first few."""
    left = dict(words)
    kept = []
    for row in rows:
        found = left.keys() & set(row.tokens)
        if all(left[word] for word in found):
            left |= {word: left[word] - 1 for word in found}
            kept.append(row)
    return kept


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
