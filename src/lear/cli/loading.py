"""What commands load: rows, gazetteer and lexicon of a benchmark, and standard input."""

import hashlib
import sys
from collections.abc import Iterable, Sequence
from typing import BinaryIO

from lear.benchmark import Benchmark, Example, Gazetteer, NamedThing
from lear.domain import Domain
from lear.errors import DataError
from lear.lexicon.lexicon import Lexicon
from lear.messages import Tracker, note
from lear.storage.datasets import DataFolder

MANY_ROWS = 500
"""From so many rows on, inducing a lexicon may take more than a second."""


def load_rows(
    domain: Domain, benchmark: Benchmark, part: str, data_option: str | None
) -> list[Example]:
    """Return the rows of one part; note if a file differs from the published one."""
    folder = DataFolder.choose(data_option)
    rows = domain.corpus.load(benchmark, part, folder.find)
    if not rows:
        raise DataError(f"{benchmark.name}: there are no {part} rows")
    for file in benchmark.files.get(part, ()):
        if folder.state(file) == "differs":
            note(f"{folder.root / file.path}: differs from the published file; used as it is")
    return rows


def load_gazetteer(domain: Domain, benchmark: Benchmark, data_option: str | None) -> Gazetteer:
    """Return the gazetteer of a benchmark."""
    return domain.words.gazetteer(benchmark, DataFolder.choose(data_option).find)


def load_language(
    domain: Domain, benchmark: Benchmark, data_option: str | None, tracker: Tracker
) -> Domain:
    """Return the domain; a language that training rows decide is worked out from them."""
    if domain.inference is None:
        return domain
    return infer(domain, load_rows(domain, benchmark, "train", data_option), tracker)


def infer(domain: Domain, train: Sequence[Example], tracker: Tracker) -> Domain:
    """Return the domain; a language that training rows decide is worked out from these."""
    if domain.inference is None:
        return domain
    with tracker.phase("working out the language", is_long=len(train) >= MANY_ROWS):
        return domain.inference.infer(train, domain.inference.variants[0], None)


def load_lexicon(
    domain: Domain, benchmark: Benchmark, data_option: str | None, tracker: Tracker
) -> Lexicon:
    """Return the lexicon that the training rows and the gazetteer induce."""
    with tracker.phase("reading the training rows", is_long=False):
        train = load_rows(domain, benchmark, "train", data_option)
    return induce(domain, train, load_gazetteer(domain, benchmark, data_option), tracker)


def induce(
    domain: Domain, train: Sequence[Example], gazetteer: Gazetteer, tracker: Tracker
) -> Lexicon:
    """Return the lexicon that training rows induce, which takes long if they are many."""
    label = f"inducing the lexicon from {len(train):,} training rows"
    with tracker.phase(label, is_long=len(train) >= MANY_ROWS):
        return domain.words.induce(train, gazetteer)


def are_published(benchmark: Benchmark, parts: Iterable[str], data_option: str | None) -> bool:
    """Return True if all files of these parts are the published ones."""
    folder = DataFolder.choose(data_option)
    files = (file for part in parts for file in benchmark.files.get(part, ()))
    return all(folder.state(file) == "ok" for file in files)


def digest_of(rows: Iterable[Example | NamedThing]) -> str:
    """Return the SHA-256 of sentences and forms, regardless of their files."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(f"{' '.join(row.tokens)}\t{row.form}\n".encode())
    return digest.hexdigest()


def group_label(domain: Domain, group: str) -> str:
    """Return a group of rows with its title, if it has one."""
    title = domain.corpus.group_titles.get(group)
    return group if title is None else f"{group} ({title})"


def open_stdin() -> BinaryIO:
    """Return standard input; raise `DataError` if it is closed."""
    if sys.stdin is None:
        raise DataError("standard input is closed")
    return sys.stdin.buffer
