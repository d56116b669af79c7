"""What rare words and unknown ones cost, where dev rows have none: some words are made so.

Some content words are taken out of the training rows but for none, one or two rows each, and a
lexicon is induced of what is left. With it the model answers dev rows that have these words. Its
network stays as it is, so this takes no training; what is measured is whether so few rows teach
what a word means, and what becomes of an answer if they do not.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from lear.core.lexicon import Lexicon
from lear.decoding.request import MAX_SCARCE
from lear.domain.example import Example
from lear.errors import LearError
from lear.evaluation.answer_outcomes import answer_outcomes
from lear.evaluation.calibration import Outcome
from lear.messages.notes import quiet_notes
from lear.parser import Parser

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
        model = replace(parser.model, lexicon=lexicon, legal=None)
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
