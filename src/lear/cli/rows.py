"""Loading the rows of a benchmark for a command."""

import hashlib
from collections.abc import Iterable

from lear.data.folder import DataFolder
from lear.domain import Benchmark, Domain, Example
from lear.messages import note


def load_rows(
    domain: Domain, benchmark: Benchmark, part: str, data_option: str | None
) -> list[Example]:
    """The rows of one part; a file that is not the published one is used, but said to be so."""
    folder = DataFolder.choose(data_option)
    rows = domain.load(benchmark, part, folder.find)
    for file in benchmark.files.get(part, ()):
        if folder.state(file) == "differs":
            note(f"{folder.root / file.path}: differs from the published file; used as it is")
    return rows


def load_lexicon_rows(
    domain: Domain, benchmark: Benchmark, data_option: str | None
) -> list[Example]:
    """The rows that a lexicon is induced from: those of train, and names where there are lists."""
    rows = load_rows(domain, benchmark, "train", data_option)
    return rows + load_names(domain, benchmark, data_option)


def load_names(domain: Domain, benchmark: Benchmark, data_option: str | None) -> list[Example]:
    """Rows of names, where the domain has lists of them."""
    if domain.names is None:
        return []
    return domain.names(benchmark, DataFolder.choose(data_option).find)


def are_published(benchmark: Benchmark, parts: Iterable[str], data_option: str | None) -> bool:
    """Whether the files of these parts are the ones that their authors published."""
    folder = DataFolder.choose(data_option)
    files = (file for part in parts for file in benchmark.files.get(part, ()))
    return all(folder.state(file) == "ok" for file in files)


def digest_of(rows: Iterable[Example]) -> str:
    """The SHA-256 of sentences and forms, whichever files they come from."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(f"{row.sentence}\t{row.form}\n".encode())
    return digest.hexdigest()
