"""How far probabilities can be trusted, and fitting them.

An answer's probability is the model's own belief. `measure` compares it with how often answers are
right; `fit` finds the temperature, and the factors for guessed and overlooked words, that make
belief and frequency agree best on rows that the model was not trained on.
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
from lear.learning.config import RunConfig
from lear.learning.lexicons import make_lexicon
from lear.lexicon.lexicon import Lexicon
from lear.messages import quiet_notes
from lear.model.config import TRAITS, Calibration, Trait, TraitCounts
from lear.parser import Parser

Floats = NDArray[np.float64]
NUM_BINS = 10
LEAST_SURE = 0.12
"""The share of answers that `least_sure_wrong` is about."""
TEMPERATURES, FACTORS = (0.25, 16.0), (0.05, 1.0)
"""The ranges in which the temperature and each factor are searched for."""
PRECISION = 0.05
"""The precision of their logarithms."""
ROUNDS = 3
MIN_SHOWN = 20
"""A trait that fewer rows show is fitted on further answers too, if there are any."""
MAX_LEFT_OUT = 0.1
"""The share of training rows that may be left out: other words stay about as frequent."""
MAX_TRAINING_ROWS = 10_000
"""Lexicons are induced from no more rows than these, drawn at random."""
MAX_ANSWERS = 300
"""The number of rows with held-out words that are answered at most."""


class Outcome(NamedTuple):
    """An answer: whether it was right, and what its probability depends on."""

    is_right: bool
    probability_at: Callable[[float], float]
    """Temperature -> probability, before factors."""
    traits: TraitCounts

    def probability(self, calibration: Calibration) -> float:
        """Return the calibrated probability of the answer."""
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
    """The share of wrong answers among the 12 % least sure ones."""
    bins: tuple[Bin, ...]
    risk_coverage: tuple[tuple[float, float], ...]
    """The share of sentences answered, the surest first, with the share of wrong answers."""


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
    number = np.minimum((p * NUM_BINS).astype(int), NUM_BINS - 1)
    return [
        Bin(int(chosen.sum()), float(p[chosen].mean()), float(right[chosen].mean()))
        for chosen in (number == n for n in range(NUM_BINS))
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
    """Return the calibration with the least log loss on these answers.

    Temperature and factors are fitted in turn. Each factor counts one right and one wrong answer
    more than there are: the factor of a trait that no row shows is then about one half.

    Args:
        outcomes: Answers to rows that the model was not trained on.
        fitted_on: A name for these rows.
        with_traits: Further answers, to rows with traits that the others lack. They are used for
            the factors of these traits only.
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
    """Return the answers with a trait, further ones only where there are few."""
    own = [outcome for outcome in outcomes if outcome.traits.get(trait)]
    if len(own) >= MIN_SHOWN:
        return own
    return own + [outcome for outcome in with_traits if outcome.traits.get(trait)]


def _fitted_factor(outcomes: Sequence[Outcome], calibration: Calibration, trait: Trait) -> float:
    """Fit the factor of a trait that all these answers have."""
    without = msgspec.structs.replace(calibration, **{trait: 1.0})
    counts = np.array([outcome.traits[trait] for outcome in outcomes])
    others = np.array([outcome.probability(without) for outcome in outcomes])
    verdicts = np.array([*(outcome.is_right for outcome in outcomes), True, False])

    def loss_at(factor: float) -> float:
        return _log_loss(np.append(others * factor**counts, (factor, factor)), verdicts)

    return round(_least(loss_at, *FACTORS), 4)


def _least(loss: Callable[[float], float], low: float, high: float) -> float:
    """Minimise a function by golden section on the logarithm of its argument."""
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
    """Yield one outcome for each row that is answered."""
    for row in rows:
        belief = parser.belief(row.tokens)
        if belief is not None:
            parse = belief.parse
            is_right = judge(parser.domain, row, parse.form, parse.meaning).exact
            yield Outcome(is_right, cache(belief.probability_at), belief.traits)


def unseen_rows(rows: Sequence[Example], seen: Iterable[Example]) -> list[Example]:
    """Return the rows that are not among others, by sentence and form."""
    others = {(row.tokens, row.form) for row in seen}
    return [row for row in rows if (row.tokens, row.form) not in others]


def fit_with_rare_words(
    parser: Parser,
    config: RunConfig,
    outcomes: Sequence[Outcome],
    fitted_on: str,
    rows: Mapping[str, Sequence[Example]],
    gazetteer: Gazetteer = (),
) -> Calibration:
    """Fit a calibration on answers, and on others to rows whose words the lexicon hardly saw.

    `fitted_on` is a name for the rows that were answered; `rows` are the training rows, and dev
    rows that training did not see.
    """

    def induce(train: Sequence[Example]) -> Lexicon:
        return make_lexicon(config, parser.domain, train, gazetteer)

    rare = list(rare_word_outcomes(parser, rows["train"], rows["dev"], induce, config.seed))
    also = f"; {len(rare)} with words held out" if rare else ""
    return fit(outcomes, f"{fitted_on}{also}", rare)


def rare_word_outcomes(
    parser: Parser,
    train: Sequence[Example],
    dev: Sequence[Example],
    induce: Callable[[Sequence[Example]], Lexicon],
    seed: int,
) -> Iterator[Outcome]:
    """Yield the answers to dev rows with words that a lexicon saw in two training rows at most.

    Some content words are taken out of all training rows but none, one or two, and a lexicon is
    induced from the rows that are left. The network stays as it is, so this takes no training.
    """
    rng = np.random.default_rng(seed)
    if len(train) > MAX_TRAINING_ROWS:
        places = rng.choice(len(train), MAX_TRAINING_ROWS, replace=False).tolist()
        train = [train[place] for place in sorted(places)]
    words = _words_to_hold_out(parser.model.lexicon, train, dev, rng)
    if not words:
        return
    with quiet_notes():
        try:
            lexicon = induce(_thinned(train, words))
        except LearError:  # so few rows may teach nothing at all
            return
        other = Parser(replace(parser.model, lexicon=lexicon), unknown_words="overlook")
    rows = [row for row in dev if not words.keys().isdisjoint(row.tokens)]
    yield from islice(answer_outcomes(other, rows), MAX_ANSWERS)


def _words_to_hold_out(
    lexicon: Lexicon, train: Sequence[Example], dev: Sequence[Example], rng: np.random.Generator
) -> dict[str, int]:
    """Choose content words that dev has, and training often, and how many rows each keeps."""
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
    """Return the rows, but only the first few of those with certain words."""
    left = dict(words)
    kept = []
    for row in rows:
        found = left.keys() & set(row.tokens)
        if all(left[word] for word in found):
            left |= {word: left[word] - 1 for word in found}
            kept.append(row)
    return kept


SIDE, EDGE = 260, 58
"""The length of an axis, and the space around it, in pixels."""
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#57606a;text-anchor:middle}rect{fill:#fff}"
    "path{fill:none;stroke:#9aa4ae;vector-effect:non-scaling-stroke}.ideal{stroke-dasharray:4 4}"
    ".line{stroke:#0b4f9e;stroke-width:2}circle{fill:#0b4f9e;fill-opacity:.75}"
)


def reliability_svg(report: Report, title: str) -> str:
    """Draw how often answers are right, by their probability; larger dots are more answers."""
    dots = "".join(
        f'<circle cx="{b.mean_probability:.4f}" cy="{b.share_right:.4f}" '
        f'r="{(3 + 11 * (b.n / report.n) ** 0.5) / SIDE:.4f}"><title>{b.n} answers: probability '
        f"{b.mean_probability:.2f}, right {b.share_right:.2f}</title></circle>"
        for b in report.bins
    )
    marks = f'<path class="ideal" d="M0 0L1 1"/>{dots}'
    return _picture(title, marks, "probability of the answer", "share that are right", 1.0)


def risk_coverage_svg(report: Report, title: str) -> str:
    """Draw the share of wrong answers if only the surest ones are given."""
    top = max(0.05, max((risk for _, risk in report.risk_coverage), default=0.0))
    points = "L".join(f"{share:.4f} {risk / top:.4f}" for share, risk in report.risk_coverage)
    marks = f'<path class="line" d="M{points}"/>' if points else ""
    return _picture(title, marks, "share of sentences answered", "share of wrong answers", top)


def _picture(title: str, marks: str, x_label: str, y_label: str, top: float) -> str:
    """Draw marks, whose coordinates are from 0 to 1, between labelled axes."""
    size, middle = SIDE + 2 * EDGE, EDGE + SIDE / 2
    ticks = "".join(
        f'<text x="{EDGE + part * SIDE}" y="{EDGE + SIDE + 16}">{part:g}</text>'
        f'<text x="{EDGE - 18}" y="{EDGE + (1 - part) * SIDE + 4}">{part * top:.2g}</text>'
        for part in (0.0, 0.5, 1.0)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" role="img">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n"
        f'<rect width="{size}" height="{size}"/>\n{ticks}\n'
        f'<text x="{middle}" y="24">{escape(title)}</text>\n'
        f'<text x="{middle}" y="{size - 10}">{x_label}</text>\n'
        f'<text transform="translate(14 {middle})rotate(-90)">{y_label}</text>\n'
        f'<g transform="translate({EDGE} {EDGE + SIDE})scale({SIDE} {-SIDE})">'
        f'<path d="M0 1L0 0L1 0"/>{marks}</g>\n</svg>\n'
    )
