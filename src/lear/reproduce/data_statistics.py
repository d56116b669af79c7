"""Statistics of a benchmark's data, as the paper's table of its data sets has them.

The coverage of patterns: the share of test rows whose pattern occurs in training. In the pattern of
a sentence every unit of the lexicon is anonymous, in the pattern of a form every primitive.

    python -m lear.reproduce.data_statistics cogs/gen_original
"""

import re
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Hashable, Sequence
from statistics import fmean

import msgspec

from lear.benchmark import PARTS, Example
from lear.domains.registry import find_benchmark
from lear.errors import LearError
from lear.lexicon.lexicon import Lexicon
from lear.storage.datasets import DataFolder

ANONYMOUS = "_"
STRUCTURE = {
    "cogs": r"[().,;*_x]|\d+|AND|LAMBDA|agent|theme|recipient|[cx]comp|nmod|in|on|beside",
    "cfq": r"[(){}.*a]|!=|SELECT|count|DISTINCT|WHERE|FILTER|\?x\d+",
}
"""Domain -> the words of its forms that are not primitives."""
POSITION = r"\d+"
"""Positions in COGS follow from the words before them: anonymous too."""

Row = Example
Pattern = Callable[[Row], Hashable]


class DataStatistics(msgspec.Struct, frozen=True):
    """The paper's statistics of one benchmark."""

    benchmark: str
    train: int
    dev: int
    test: int
    vocabulary: int
    """Distinct words of training sentences."""
    input_train: float
    """Mean length of training sentences, as the benchmark counts it."""
    input_test: float
    output_train: float
    """Mean length of training forms, in words."""
    output_test: float
    input_coverage: float
    output_coverage: float


def data_statistics(benchmark: str, data: str | None = None) -> DataStatistics:
    """Count; CFQ takes half a minute, most of it for its lexicon."""
    domain, found = find_benchmark(benchmark)
    folder = DataFolder.choose(data)
    rows = {part: domain.corpus.load(found, part, folder.find) for part in PARTS}
    gazetteer = domain.words.gazetteer(found, folder.find)
    lexicon = domain.words.induce(rows["train"], gazetteer)
    train, test = rows["train"], rows["test"]
    return DataStatistics(
        benchmark=found.name,
        train=len(train),
        dev=len(rows["dev"]),
        test=len(test),
        vocabulary=len({word for row in train for word in row.tokens}),
        input_train=fmean(row.length for row in train),
        input_test=fmean(row.length for row in test),
        output_train=fmean(len(row.form.split()) for row in train),
        output_test=fmean(len(row.form.split()) for row in test),
        input_coverage=pattern_coverage(input_pattern(lexicon), train, test),
        output_coverage=pattern_coverage(output_pattern(domain.name), train, test),
    )


def pattern_coverage(pattern: Pattern, train: Sequence[Row], test: Sequence[Row]) -> float:
    """The share of test rows whose pattern occurs in training."""
    known = {pattern(row) for row in train}
    return fmean(pattern(row) in known for row in test)


def input_pattern(lexicon: Lexicon) -> Pattern:
    """A sentence with its units anonymous."""

    def pattern(row: Row) -> Hashable:
        units = lexicon.segment(row.tokens)
        return tuple(ANONYMOUS if unit in lexicon.units else unit for unit in units)

    return pattern


def output_pattern(domain: str) -> Pattern:
    """A form with its primitives anonymous; of an unknown domain, the form itself."""
    structure = re.compile(STRUCTURE.get(domain, ".*"))
    position = re.compile(POSITION)

    def pattern(row: Row) -> Hashable:
        return tuple(
            word if structure.fullmatch(word) and not position.fullmatch(word) else ANONYMOUS
            for word in row.form.split()
        )

    return pattern


def main() -> None:
    """Print the statistics of a benchmark as one JSON object."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("benchmark")
    parser.add_argument("--data")
    options = parser.parse_args()
    try:
        statistics = data_statistics(options.benchmark, options.data)
    except LearError as error:
        sys.exit(f"lear: {error}")
    sys.stdout.write(msgspec.json.encode(statistics).decode() + "\n")


if __name__ == "__main__":
    main()
