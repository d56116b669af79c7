"""Parsers that live long among random and mutated sentences: no exception, and bounded memory.

Growth is what the process has of the machine's memory at a look, less what it had at the first
one. The first look is after 1,000 sentences, and there is one every 1,000 sentences.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lear.parser import Parser
from tests.stress.forks import in_child
from tests.stress.results import Sizes, StageResult, scratch_folder
from tests.support.fuzz import SentenceMaker, check_answer, check_words_of_answer
from tests.support.own_models import OWN_SENTENCES, TRAIN
from tests.support.shipped import SENTENCES

BATCH = 200
BATCHES_BETWEEN_LOOKS = 5
"""After so many batches memory is looked at."""
PROBABILITY_EVERY = 10
"""Of so many batches probabilities are looked at in one: they take longer than the answers."""
TIME_LIMIT = 6 * 3600.0
MAX_GROWTH_MB = 20.0


def stress(sizes: Sizes, model: str) -> StageResult:
    """Give a model so many sentences, half of them to each policy for unknown words."""
    result = StageResult("sentences", {"sentences": 0, "exceptions and wrong answers": 0})
    with scratch_folder() as root:
        which, sentences = model, {**SENTENCES, **OWN_SENTENCES}[model]
        if model in TRAIN:
            # Training takes memory that the parser would find free.
            in_child(lambda: TRAIN[model](root / model) and None, TIME_LIMIT)
            which = str(root / model)
        life = _life(which, sentences, sizes)
    result.count("sentences", life["sentences"])
    result.count("exceptions and wrong answers", len(life["failures"]))
    for failure in life["failures"]:
        result.breach(failure)
    first, last = life["memory_mb"][0], life["memory_mb"][-1]
    result.figures["memory after the first look, MB"] = round(first, 1)
    result.figures["growth from there to the end, MB"] = round(last - first, 1)
    most = max(look - first for look in life["memory_mb"])
    result.at_most("most growth at any look, MB", most, MAX_GROWTH_MB)
    return result


def _life(model: str, sentences: tuple[str, ...], sizes: Sizes) -> dict[str, Any]:
    """What becomes of a parser: sentences, failures, and its memory from time to time."""
    parser = Parser.from_pretrained(model)
    maker = SentenceMaker(Path(model).name, parser, sizes.seed, sentences)
    failures: list[str] = []
    memory = []
    num_batches = max(1, sizes.sentences // BATCH)
    for batch in range(num_batches):
        parser.unknown_words = ("refuse", "overlook")[batch % 2]
        texts = list(maker.make(min(BATCH, sizes.sentences)))
        has_probability = batch // 2 % PROBABILITY_EVERY == 0  # under both policies
        failures += _failures(parser, texts, has_probability=has_probability)
        if batch % BATCHES_BETWEEN_LOOKS == BATCHES_BETWEEN_LOOKS - 1 or batch == num_batches - 1:
            memory.append(memory_mb())
    num_sentences = num_batches * min(BATCH, sizes.sentences)
    return {"sentences": num_sentences, "failures": failures, "memory_mb": memory}


def _failures(parser: Parser, texts: list[str], *, has_probability: bool) -> Iterator[str]:
    """What goes wrong with some sentences."""
    check = check_answer if has_probability else check_words_of_answer
    try:
        parses = parser.parse_batch(texts)
    except Exception:  # noqa: BLE001 - told below, with the sentence
        parses = []
        for text in texts:
            try:
                parses += parser.parse_batch([text])
            except Exception as error:  # noqa: BLE001
                yield f"{text!r}: {type(error).__name__}: {error}"
        texts = [parse.text for parse in parses]
    for text, parse in zip(texts, parses, strict=True):
        try:
            check(text, parse)
        except Exception as error:  # noqa: BLE001
            yield f"{text!r}: {type(error).__name__}: {error}"


def memory_mb() -> float:
    """What this process has of the machine's memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6
