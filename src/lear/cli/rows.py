"""Loading the rows of a benchmark for a command."""

from pathlib import Path

from lear.cli.output import note
from lear.data.files import DataFile
from lear.data.folder import DataFolder
from lear.domain import Benchmark, Domain, Example


def load_rows(
    domain: Domain, benchmark: Benchmark, part: str, data_option: str | None
) -> list[Example]:
    """The rows of one part; a file that is not the published one is used, but said to be so."""
    folder = DataFolder.choose(data_option)

    def find(file: DataFile) -> Path:
        path = folder.find(file)
        if folder.state(file) != "ok":
            note(f"{path}: differs from the published file (see `lear data check {domain.name}`)")
        return path

    return domain.load(benchmark, part, find)
