"""Loading the rows of a benchmark for a command."""

import hashlib
from collections.abc import Iterable

from lear.core.lexicon import Lexicon
from lear.domain.domain import Domain
from lear.domain.example import Benchmark, Example, Gazetteer, NamedThing
from lear.messages.notes import note
from lear.storage.data_folder import DataFolder


def load_rows(
    domain: Domain, benchmark: Benchmark, part: str, data_option: str | None
) -> list[Example]:
    """The rows of one part; a file that is not the published one is used, but said to be so."""
    folder = DataFolder.choose(data_option)
    rows = domain.corpus.load(benchmark, part, folder.find)
    for file in benchmark.files.get(part, ()):
        if folder.state(file) == "differs":
            note(f"{folder.root / file.path}: differs from the published file; used as it is")
    return rows


def load_gazetteer(domain: Domain, benchmark: Benchmark, data_option: str | None) -> Gazetteer:
    """The names that the domain lists."""
    return domain.words.gazetteer(benchmark, DataFolder.choose(data_option).find)


def load_lexicon(domain: Domain, benchmark: Benchmark, data_option: str | None) -> Lexicon:
    """The lexicon that training rows and names induce."""
    train = load_rows(domain, benchmark, "train", data_option)
    return domain.words.induce(train, load_gazetteer(domain, benchmark, data_option))


def are_published(benchmark: Benchmark, parts: Iterable[str], data_option: str | None) -> bool:
    """Whether the files of these parts are the ones that their authors published."""
    folder = DataFolder.choose(data_option)
    files = (file for part in parts for file in benchmark.files.get(part, ()))
    return all(folder.state(file) == "ok" for file in files)


def digest_of(rows: Iterable[Example | NamedThing]) -> str:
    """The SHA-256 of sentences and forms, whichever files they come from."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(f"{' '.join(row.tokens)}\t{row.form}\n".encode())
    return digest.hexdigest()
