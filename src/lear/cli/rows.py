"""Loading the rows of a benchmark for a command."""

from lear.data.files import DataFile
from lear.data.folder import DataFolder
from lear.domain import Benchmark, Domain, Example
from lear.messages import note


def load_rows(
    domain: Domain, benchmark: Benchmark, part: str, data_option: str | None
) -> list[Example]:
    """The rows of one part; a file that is not the published one is used, but said to be so."""
    folder = DataFolder.choose(data_option)
    rows = domain.load(benchmark, part, folder.find)
    file = benchmark.files.get(part)
    if file is not None and not is_published(file, data_option):
        note(f"{folder.root / file.path}: differs from the published file; used as it is")
    return rows


def is_published(file: DataFile, data_option: str | None) -> bool:
    """Whether a file is the one that its authors published."""
    return DataFolder.choose(data_option).state(file) == "ok"
