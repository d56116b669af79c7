"""The SLOG files, in the layout of COGS: sentence, form, group."""

from collections.abc import Callable
from pathlib import Path

from lear.domain.example import Benchmark, Example
from lear.domains.cogs.corpus import read_rows
from lear.storage.data_file import DataFile

_ADVICE = (
    "SLOG publishes forms without variables and a converter to COGS forms: put train.tsv, dev.tsv "
    "and test.tsv (sentence, form, group) into the folder slog; see docs/slog.md"
)


def _file(name: str) -> DataFile:
    return DataFile(f"slog/{name}.tsv", "", 0, _ADVICE)


def benchmark_named(name: str) -> Benchmark:
    """`slog/NAME`: train.tsv and dev.tsv, with NAME.tsv to test on."""
    test = name.removeprefix("slog/")
    return Benchmark(
        name,
        SUMMARIES.get(test, f"the rows of slog/{test}.tsv"),
        {"train": (_file("train"),), "dev": (_file("dev"),), "test": (_file(test),)},
    )


SUMMARIES = {"test": "test set from the distribution of train"}
BENCHMARKS = (benchmark_named("slog/test"),)


def load(benchmark: Benchmark, part: str, find: Callable[[DataFile], Path]) -> list[Example]:
    """The rows of one part of a benchmark."""
    (file,) = benchmark.files[part]
    return read_rows(find(file))
