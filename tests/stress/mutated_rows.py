"""Data files and forms with changes: rows and meanings, or one line that names file and row."""

import random
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lear.algebra.algebra import MeaningTable
from lear.benchmark import Benchmark
from lear.domain import Domain
from lear.domains.registry import find_domain
from lear.errors import LearError
from tests.stress.damage import damaged
from tests.stress.results import Sizes, StageResult, scratch_folder
from tests.support.shipped import SENTENCES, shipped

PART = "train"


class Corpus(NamedTuple):
    """Files of a benchmark, all of them sound."""

    domain: Domain
    benchmark: Benchmark
    files: dict[str, bytes]
    """Path below the data folder -> content."""


def stress(sizes: Sizes) -> StageResult:
    """Read so many files in each of which something was changed, and the forms of their rows."""
    result = StageResult("rows", {"changed files": 0, "rows read": 0, "tracebacks": 0})
    rng = random.Random(sizes.seed)
    corpora = list(_corpora())
    with scratch_folder() as root:
        for _ in range(sizes.rows):
            corpus = rng.choice(corpora)
            path = rng.choice(list(corpus.files))
            for name, content in corpus.files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_bytes(damaged(content, rng) if name == path else content)
            result.count("changed files")
            try:
                result.count("rows read", _num_read(corpus, root, result))
            except LearError as error:
                result.count("refused")
                if path not in str(error) or "\n" in str(error):
                    result.breach(f"{path}: not one line that names it: {error}")
            except Exception as error:  # noqa: BLE001
                result.count("tracebacks")
                place = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{place.filename}:{place.lineno}"
                result.breach(f"{path}: {type(error).__name__}: {error} [{where}]")
    return result


def _num_read(corpus: Corpus, root: Path, result: StageResult) -> int:
    """Read all rows and their forms; return how many rows there are."""
    domain = corpus.domain
    rows = domain.corpus.load(corpus.benchmark, PART, lambda file: root / file.path)
    for row in rows:
        try:
            domain.language.render(
                domain.language.read_gold(row, MeaningTable(domain.language.algebra))
            )
        except LearError:
            result.count("forms refused")
    return len(rows)


def _corpora() -> Iterator[Corpus]:
    """Small files of each domain that has files, made of answers to our own sentences."""
    for model, sentences in SENTENCES.items():
        parser = shipped(model)
        parses = [parse for parse in map(parser, sentences) if parse.form is not None]
        domain = find_domain(parser.domain.name)
        questions = [" ".join(parse.tokens) for parse in parses]
        forms = [parse.form or "" for parse in parses]
        named = domain.corpus.benchmark_named
        benchmark = named(f"{domain.name}/stress") if named else domain.corpus.benchmarks[0]
        if len(benchmark.files[PART]) == 1:  # a table of three columns
            rows = [f"{q}\t{f}\tin_distribution" for q, f in zip(questions, forms, strict=True)]
            contents = [rows]
        else:  # a file of questions and one of forms
            contents = [questions, forms]
        paths = [file.path for file in benchmark.files[PART]]
        texts = ["\n".join(lines) + "\n" for lines in contents]
        files = {path: text.encode() for path, text in zip(paths, texts, strict=True)}
        yield Corpus(domain, benchmark, files)
