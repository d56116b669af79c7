"""The files of CFQ in both layouts, and questions as tokens: words, commas, `'s` and `,and`.

In the text layout, `cfq/NAME/train/train_encode.txt` has one question per line and
`train_decode.txt` one query; dev and test are alike. In the official layout, `cfq/dataset.json` has
all rows and `cfq/splits/NAME.json` the row numbers of each part.
"""

import mmap
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import msgspec

from lear.benchmark import PARTS, Benchmark, Example
from lear.domains.cfq.queries import normalise
from lear.errors import DataError, FileMissingError
from lear.lexicon.plain_text import lower, plain, words_and_marks
from lear.storage.datasets import DataFile, paired_lines, refuse_empty
from lear.storage.files import NOT_JSON, read_json

_NATIONALITIES = (
    "American", "British", "Canadian", "Chinese", "Dutch", "French", "German", "Italian",
    "Japanese", "Mexican", "Spanish", "Swedish",
)  # fmt: skip
_WRITTEN = {word.lower(): word for word in _NATIONALITIES} | {"an": "a"}  # CFQ writes "a actor"
_ENTITY = re.compile(r"m[0-9]+")
_POSSESSIVE_APART = re.compile(r"' s(?!\w)")


def tokenize(text: str) -> tuple[str, ...]:
    """Return the tokens of a question, whether its marks stand apart or not (`M0 ' s editor`)."""
    question = _POSSESSIVE_APART.sub("'s", lower(plain(text)).replace("-", " "))
    tokens: list[str] = []
    for word in words_and_marks(question, marks=","):
        before = tokens[-1] if tokens else ","
        if word == "and" and tokens and before == ",":
            tokens[-1] = ",and"  # before the last item of a list
        elif word != "," or before != ",":
            tokens.append(_spelt(word))
    if tokens and tokens[-1] == ",":
        tokens.pop()
    if tokens and tokens[0].isascii():
        tokens[0] = tokens[0][0].upper() + tokens[0][1:]
    return tuple(tokens)


def _spelt(word: str) -> str:
    is_entity = word.startswith("m") and _ENTITY.fullmatch(word)
    return word.upper() if is_entity else _WRITTEN.get(word, word)


def num_words(text: str) -> int:
    """Return the length of a question as CFQ's preprocessing counts it: every mark is a word."""
    return len(re.findall(r"[^\W_]+|[^\w\s]|_", text))


ARCHIVE = "https://storage.cloud.google.com/cfq_dataset/cfq1.1.tar.gz"
_ADVICE = (
    f"CFQ is published as one archive, {ARCHIVE}: unpack its dataset.json and splits into "
    "DATA/cfq, where DATA is a folder that --data or LEAR_DATA names"
)
# SHA-256 and size of the preprocessed files: questions and queries of train, of dev, of test.
_PUBLISHED = {
    "mcd1": (
        ("8dfcfb15c7a12a4817edb6832b252896af66d21e56b5419621d07a43226aaad7", 6_325_250),
        ("09f7a4cb00c56a9d73a78a3f9cc1d9504724151d42095a34f0abd142f85b0dc8", 29_263_561),
        ("2d4c4c5ba9427292be2a0fe73c5a2d7f9261ae3895e23aa0cab6287ca34974fb", 829_319),
        ("945d9fec888f3d3834f7efaa0728d298d271764a842beb46d442b0ea2877cbdf", 4_364_217),
        ("96f903b16bfa898d8aea12b879c158bad01b8d02ad0086054cfdc6f81d651598", 831_179),
        ("efd3a514a59b49ee0767c7c7414d876b03978a5d025495bb0fcb7fd1710b857f", 4_316_194),
    ),
    "mcd2_partial": (
        ("9ad58b1ad3eed5081faf29823f8cb1baf91ada970aeb56222fc68426988f0e57", 5_408_159),
        ("9023e6c46f84459be830e1dd17b3da69c245d29603fd878e7b2d227f9da22296", 24_954_674),
        ("97007ad3267567a316b5c14a4c8745a868be6aebc029786918dc83f99bf42a7f", 632_159),
        ("5effeb66516a7917aa015c7d4c8cd522baaee1c2fba97f7f3340357c5a34502a", 3_395_668),
        ("c0f6aa9582332a825fbaac0a1ed5e0c0021d82fe2b7fbeadf90e83a34c0ad99d", 630_132),
        ("ea9052b410b03483f1003b410259d5997070ea9e0094e9b343ec31f2140bfd25", 3_354_659),
    ),
}


def benchmark_named(name: str) -> Benchmark:
    """Return the benchmark `cfq/NAME`, for any folder or split of that name."""
    split = name.removeprefix("cfq/")
    checksums = iter(_PUBLISHED.get(split, ()))
    files: dict[str, tuple[DataFile, ...]] = {}
    for part in PARTS:
        files[part] = tuple(
            DataFile(f"cfq/{split}/{part}/{part}_{side}.txt", *next(checksums, ("", 0)), _ADVICE)
            for side in ("encode", "decode")
        )
    return Benchmark(name, SUMMARIES.get(split, "a split of CFQ"), files)


SUMMARIES = {
    "mcd1": "maximum compound divergence split 1, complete",
    "mcd2_partial": "maximum compound divergence split 2, the rows that are available as text",
}
BENCHMARKS = tuple(benchmark_named(f"cfq/{split}") for split in SUMMARIES)


def load(benchmark: Benchmark, part: str, find: Callable[[DataFile], Path]) -> list[Example]:
    """Return the rows of one part of a benchmark, from the text layout if it is there."""
    questions, queries = benchmark.files[part]
    try:
        return read_text(find(questions), find(queries))
    except FileMissingError as missing:
        split = benchmark.name.removeprefix("cfq/")
        try:
            dataset = find(DataFile("cfq/dataset.json", "", 0, _ADVICE))
            split_file = find(DataFile(f"cfq/splits/{split}.json", "", 0, _ADVICE))
        except FileMissingError:
            raise missing from None
        return read_split(dataset, split_file, part)


def read_text(questions: Path, queries: Path) -> list[Example]:
    """Return the rows of the text layout: one question and one query per line."""
    return [
        _example(question, query, f"{queries}:{number}", f"{questions}:{number}")
        for number, question, query in paired_lines(questions, queries)
    ]


class _Record(msgspec.Struct):
    """A row of `dataset.json`, as far as it is used."""

    question: str = msgspec.field(name="questionPatternModEntities")
    query: str = msgspec.field(name="sparqlPatternModEntities")


class _Split(msgspec.Struct):
    """A split file: numbers of rows in `dataset.json`, from 0."""

    train: list[int] = msgspec.field(name="trainIdxs")
    dev: list[int] = msgspec.field(name="devIdxs")
    test: list[int] = msgspec.field(name="testIdxs")


def read_split(dataset: Path, split: Path, part: str) -> list[Example]:
    """Return the rows of one part in the official layout."""
    records = _read_dataset(dataset)
    numbers = read_json(split, _Split, "a split")
    examples = []
    for number in {"train": numbers.train, "dev": numbers.dev, "test": numbers.test}[part]:
        if not 0 <= number < len(records):
            raise DataError(
                f"{split}: {part} names row {number}, but {dataset} has {len(records)} rows"
            )
        record = records[number]
        examples.append(_example(record.question, record.query, f"{dataset}:{number}"))
    if not examples:
        raise DataError(f"{split}: {part} names no rows")
    return examples


@lru_cache(maxsize=1)  # train, dev and test come from one file of two gigabytes
def _read_dataset(path: Path) -> list[_Record]:
    try:
        with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, prot=mmap.PROT_READ) as text:
            return msgspec.json.decode(memoryview(text), type=list[_Record])
    except (OSError, *NOT_JSON) as error:
        raise DataError(f"{path}: not a CFQ data set: {error}") from None


def _example(question: str, query: str, source: str, question_source: str = "") -> Example:
    tokens = tokenize(question)
    refuse_empty(tokens, "question", question_source or source)
    refuse_empty(query.strip(), "query", source)
    return Example(tokens, normalise(query), tokens[0], source, num_words(question))
