"""What it costs that time and memory are bounded: benchmarks parsed with bounds and without them.

Each is parsed in a process of its own, with and without in turn, and CPU time is counted, so that
other work on the machine matters little. Figures only: a time is no promise.
"""

import statistics
import time
from typing import Any

from lear import parser as parser_module
from lear.errors import FileMissingError
from lear.memory import no_garbage_collection
from lear.parser import Limits, Parser
from lear.storage.datasets import DataFolder
from tests.stress.forks import in_child
from tests.stress.results import Sizes, StageResult

BENCHMARKS = {
    "cogs": ("cogs/gen", "test"),
    "cfq": ("cfq/mcd1", "test"),
    "geo": ("geo/standard", "test"),
}
"""Model -> the benchmark and the part that it parses."""
MAX_ROWS, BATCH = 2_000, 256
ENDLESS = 10**9
NO_BOUNDS: dict[str, Any] = {
    "max_remembered": ENDLESS,
    "limits": Limits(characters=ENDLESS, tokens=ENDLESS, combinations=ENDLESS),
}
TIME_LIMIT = 600.0
Rows = list[tuple[str, ...]]


def stress(sizes: Sizes) -> StageResult:
    """Parse each benchmark so many times in each way."""
    result = StageResult("cost", {"sentences": 0})
    for model in BENCHMARKS:
        try:
            rows = _rows(model)
        except FileMissingError as error:
            result.skipped = str(error)
            return result
        ratios = []
        for number in range(sizes.cost_rounds):
            seconds = {}
            for is_bounded in (True, False) if number % 2 else (False, True):
                work = lambda m=model, r=rows, b=is_bounded: _seconds(m, r, is_bounded=b)  # noqa: E731
                ended = in_child(work, TIME_LIMIT)
                if ended.value is None:
                    result.breach(f"{model}: {ended.error or ended}")
                    return result
                seconds[is_bounded] = ended.value
            ratios.append(seconds[True] / seconds[False])
            result.count("sentences", 2 * len(rows))
        result.figures[f"cost on {model}, %"] = round(100 * (statistics.median(ratios) - 1), 2)
        spread = statistics.pstdev(ratios) / len(ratios) ** 0.5
        result.figures[f"its standard error on {model}, %"] = round(100 * spread, 2)
    return result


def _rows(model: str) -> Rows:
    """Sentences of a benchmark, an even sample."""
    name, part = BENCHMARKS[model]
    corpus = Parser.from_pretrained(model).domain.corpus
    (benchmark,) = (b for b in corpus.benchmarks if b.name == name)
    rows = corpus.load(benchmark, part, DataFolder.choose(None).find)
    return [row.tokens for row in rows[:: -(-len(rows) // MAX_ROWS)]]


def _seconds(model: str, rows: Rows, *, is_bounded: bool) -> float:
    """CPU time that a new parser takes for sentences."""
    if not is_bounded:
        parser_module.SENTENCES_BETWEEN_CLEARANCES = ENDLESS
    parser = Parser.from_pretrained(model, **({} if is_bounded else NO_BOUNDS))
    with no_garbage_collection():
        began = time.process_time()
        for begin in range(0, len(rows), BATCH):
            parser.parse_batch(rows[begin : begin + BATCH])
        return time.process_time() - began
