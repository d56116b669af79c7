"""Corpora of a language of one's own: files of pairs, and published files of one row a line.

A file has the columns `utterance` and `form`, and `split` (train, dev or test) if not all rows are
for training. CSV and TSV name them in their first line, JSON lines in each object. Dev rows are
drawn from the training rows where there are none.
"""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from lear.benchmark import PARTS, Benchmark, Example, FindFile
from lear.domain import Corpus
from lear.errors import DataError
from lear.storage.datasets import listed_files, numbered_lines, refuse_empty
from lear.storage.files import NOT_JSON

Tokenize = Callable[[str], Sequence[str]]
SUFFIXES = (".csv", ".tsv", ".jsonl")
"""How the names of files of pairs end."""
COLUMNS = ("utterance", "form")
MAX_ROWS = 200_000
"""Rows of a file; more would take hours and gigabytes, and tell little more."""
EVERY = 10
"""One training row in so many becomes a dev row, where there are none."""


def pairs_corpus(
    domain: str, pairs: str | Path | Iterable[Sequence[str]], tokenize: Tokenize = str.split
) -> Corpus:
    """Return a ready `Domain.corpus`: the one benchmark `DOMAIN/pairs`.

    Args:
        domain: The domain's name.
        pairs: A file of pairs; or the pairs themselves, each an utterance and a form, and its split
            if it is not for training.
        tokenize: Utterance -> tokens.
    """
    if isinstance(pairs, str | Path):
        file = Path(pairs)
        return _corpus(domain, f"the pairs of {file.name}", lambda: read_pairs(file, tokenize))
    columns = (*COLUMNS, "split")
    rows = [
        (f"pair {number}", dict(zip(columns, pair, strict=False)))
        for number, pair in enumerate(pairs, start=1)
    ]
    title = f"the {len(rows)} pairs of {domain}"
    return _corpus(domain, title, lambda: _by_part(rows, domain, tokenize))


def has_splits(path: Path) -> bool:
    """Return whether some row of a file says which split it is of."""
    return any(fields.get("split") for _, fields in _records(path))


def read_pairs(path: Path, tokenize: Tokenize = str.split) -> dict[str, list[Example]]:
    """Return part -> its rows in a file; a row that does not fit is named by its line."""
    records = ((f"{path}:{number}", fields) for number, fields in _records(path))
    return _by_part(records, str(path), tokenize)


def _corpus(domain: str, summary: str, read: Callable[[], dict[str, list[Example]]]) -> Corpus:
    def load(benchmark: Benchmark, part: str, find: FindFile) -> list[Example]:
        del benchmark, find
        return read()[part]

    return Corpus((Benchmark(f"{domain}/pairs", summary),), load)


def _by_part(
    records: Iterable[tuple[str, Mapping[str, object]]], name: str, tokenize: Tokenize
) -> dict[str, list[Example]]:
    """Return rows by part, from their columns; dev rows are drawn if there are none."""
    parts: dict[str, list[Example]] = {part: [] for part in PARTS}
    for number, (source, fields) in enumerate(records, start=1):
        if number > MAX_ROWS:
            raise DataError(f"{name}: more than {MAX_ROWS:,} rows: take a sample of them")
        texts = [fields.get(column) for column in COLUMNS]
        for column, text in zip(COLUMNS, texts, strict=True):
            if not isinstance(text, str):
                raise DataError(f"{source}: the {column} is not text")
            refuse_empty(text.strip(), column, source)
        part = fields.get("split") or "train"
        if part not in PARTS:
            raise DataError(f"{source}: the split is {part!r}, not one of {', '.join(PARTS)}")
        utterance, form = map(str, texts)
        parts[str(part)].append(Example(tuple(tokenize(utterance)), form.strip(), "", source))
    if not any(parts.values()):
        raise DataError(f"{name}: no rows")
    if not parts["dev"]:
        parts["train"], parts["dev"] = hold_out(parts["train"])
    return parts


def hold_out(rows: Sequence[Example], every: int = EVERY) -> tuple[list[Example], list[Example]]:
    """Return training and dev rows: one in so many, but none that alone shows some word."""
    num_rows_with = Counter(word for row in rows for word in set(row.tokens))
    train: list[Example] = []
    dev: list[Example] = []
    for number, row in enumerate(rows, start=1):
        words = set(row.tokens)
        if number % every == 0 and all(num_rows_with[word] > 1 for word in words):
            num_rows_with.subtract(words)
            dev.append(row)
        else:
            train.append(row)
    return train, dev


def _records(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """Give the rows of a file as columns by name, each with its line."""
    if path.suffix == ".jsonl":
        return _json_records(path)
    if path.suffix in SUFFIXES:
        return _table_records(path, is_tsv=path.suffix == ".tsv")
    raise DataError(f"{path}: not a file of pairs: its name ends in none of {', '.join(SUFFIXES)}")


def _json_records(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    for number, line in numbered_lines(path):
        if line.strip():
            try:
                fields = msgspec.json.decode(line, type=dict[str, object])
            except NOT_JSON as error:
                raise DataError(f"{path}:{number}: not a JSON object: {error}") from None
            if isinstance(form := fields.get("form"), dict | list):  # JSON that is not in quotes
                fields["form"] = json.dumps(form, ensure_ascii=False)
            yield number, fields


def _table_records(path: Path, *, is_tsv: bool) -> Iterator[tuple[int, dict[str, object]]]:
    lines = (f"{line}\n" for _, line in numbered_lines(path))
    # In TSV a quotation mark is a character like any other.
    style = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if is_tsv else {}
    reader = csv.reader(lines, strict=True, **style)  # type: ignore[arg-type]
    begin = 1  # a quoted field may have several lines; a row is named by its first
    header: list[str] | None = None
    try:
        for row in reader:
            if header is None:
                header = _header(path, row)
            elif row and len(row) != len(header):
                raise DataError(
                    f"{path}:{begin}: {len(row)} columns, where the first line has {len(header)}"
                )
            elif row:
                yield begin, dict(zip(header, row, strict=True))
            begin = reader.line_num + 1
    except csv.Error as error:
        why = str(error)
        if why == "unexpected end of data":
            why = 'a quotation mark is not closed (inside of quotes, write "" for ")'
        raise DataError(f"{path}:{begin}: not a row of a table: {why}") from None


def _header(path: Path, row: list[str]) -> list[str]:
    header = [name.strip().lower() for name in row]
    if missing := [name for name in COLUMNS if name not in header]:
        raise DataError(
            f"{path}:1: no column {missing[0]!r}: the first line names the columns "
            "(utterance, form, and split if need be)"
        )
    return header


def listed_corpus(
    domain: str, manifest: Path, address: str, pair_in: Callable[[str], Sequence[str]]
) -> Corpus:
    """Return a ready `Domain.corpus` of published files `..train_X` and `..test_X`, a row a line.

    They make the benchmark `DOMAIN/X`, whose dev rows are drawn from the training rows.

    Args:
        domain: The domain's name.
        manifest: A file that lists them (`lear.storage.datasets.listed_files`).
        address: Where they are published.
        pair_in: A line -> the sentence and the form in it.
    """
    files = listed_files(manifest, address)
    benchmarks = []
    for path, train in files.items():
        before, found, after = path.rpartition("train_")
        if found:
            test, name = files[f"{before}test_{after}"], after.rpartition(".")[0]
            parts = {"train": (train,), "dev": (train,), "test": (test,)}
            benchmarks.append(Benchmark(f"{domain}/{name}", f"the split {name}", parts))

    def load(benchmark: Benchmark, part: str, find: FindFile) -> list[Example]:
        (file,) = benchmark.files[part]
        rows = list(_rows_in_lines(find(file), pair_in))
        return rows if part == "test" else hold_out(rows)[part == "dev"]

    return Corpus(tuple(benchmarks), load)


def _rows_in_lines(path: Path, pair_in: Callable[[str], Sequence[str]]) -> Iterator[Example]:
    number = 0
    for number, line in numbered_lines(path):
        source = f"{path}:{number}"
        pair = pair_in(line)
        if len(pair) != 2:
            raise DataError(f"{source}: not a sentence and a form: {line[:50]!r}")
        sentence, form = pair
        refuse_empty(sentence.split(), "sentence", source)
        refuse_empty(form.strip(), "form", source)
        yield Example(tuple(sentence.split()), form, "", source)
    if number == 0:
        raise DataError(f"{path}: the file is empty")
