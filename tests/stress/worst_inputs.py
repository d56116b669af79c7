"""Inputs made to take long: each is answered or refused soon, whatever its size."""

import random
import time
from collections.abc import Iterator

from lear.answering.request import DEFAULT_LIMITS
from lear.parser import Parser
from tests.stress.forks import in_child
from tests.stress.results import Sizes, StageResult, scratch_folder
from tests.support.own_models import TRAIN
from tests.support.shipped import NAMES

MAX_SECONDS = 5.0
TIME_LIMIT = 120.0
NUM_ANSWERS = 10
"""How many answers are asked for, of sentences that have any."""
MAX_CHARACTERS, MAX_TOKENS = DEFAULT_LIMITS.characters, DEFAULT_LIMITS.tokens
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def stress(sizes: Sizes) -> StageResult:
    """Give each model so many such inputs, each to a parser that has seen nothing before."""
    result = StageResult("worst inputs", {"inputs": 0})
    slowest = (0.0, "")
    with scratch_folder() as root:
        TRAIN["pairs"](root / "pairs")
        models = {**{name: name for name in NAMES}, "pairs": str(root / "pairs")}
        parsers = {
            name: Parser.from_pretrained(model, unknown_words="overlook")
            for name, model in models.items()
        }
    for name, parser in parsers.items():
        texts = inputs(parser, random.Random(f"{name} {sizes.seed}"), sizes.inputs)
        for text in texts:
            ended = in_child(lambda p=parser, t=text: _seconds(p, t), TIME_LIMIT)  # type: ignore[misc]
            told = f"{name}: {len(text):,} characters, {text[:60]!r}"
            result.count("inputs")
            if ended.value is None:
                result.breach(f"{told}: {ended.error or ended}")
                continue
            result.figures["most memory, MB"] = max(
                result.figures.get("most memory, MB", 0), round(ended.peak_mb)
            )
            slowest = max(slowest, (ended.value, told))
            if ended.value > MAX_SECONDS:
                result.breach(f"{told}: {ended.value:.1f} s")
    result.figures["worst time, s"] = round(slowest[0], 2)
    return result


def inputs(parser: Parser, rng: random.Random, number: int) -> Iterator[str]:
    """Inputs that are long, or have many readings."""
    yield from ("texas " * 1_000_000, "x" * 1_000_000, "?" * 1_000_000, "(" * MAX_CHARACTERS)
    lexicon = parser.model.lexicon
    units = [" ".join(unit) for unit in lexicon.units]
    function_words = list(lexicon.function_words)
    ambiguous = sorted(lexicon.units, key=lambda unit: -len(lexicon.units[unit]))[:20]
    many_readings = [" ".join(unit) for unit in ambiguous]
    either = [word for word in function_words if (word,) in lexicon.units] or function_words
    kinds = (units, function_words, many_readings, either, units + function_words)
    for _ in range(number):
        size = rng.choice((10, 20, 40, 80, MAX_TOKENS))
        kind = rng.randrange(len(kinds) + 2)
        if kind < len(kinds):
            # Few words that come again and again have more readings than many.
            words = rng.choices(kinds[kind], k=rng.choice((1, 2, 5, size)))
            text = " ".join(rng.choices(words, k=size))
        else:
            letters = rng.choice((LETTERS, "a"))
            length = rng.choice((5, 12, MAX_CHARACTERS // size - 1))
            text = " ".join("".join(rng.choices(letters, k=length)) for _ in range(size))
        # Units may be several words: what is too long would be refused at once.
        yield " ".join(text.split()[:MAX_TOKENS])


def _seconds(parser: Parser, text: str) -> float:
    """CPU time of one answer with all that is told of it, or of several answers if that is more."""
    began = time.process_time()
    parser(text).to_json()
    one = time.process_time() - began
    began = time.process_time()
    parser(text, nbest=NUM_ANSWERS).to_json()
    return max(one, time.process_time() - began)
