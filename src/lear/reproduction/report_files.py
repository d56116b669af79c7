"""The files of a report: NAME.json, NAME.csv, NAME.md, NAME.svg and NAME.png."""

from pathlib import Path

import msgspec

from lear.errors import DataError
from lear.messages.notes import note
from lear.reproduction.plots import NoPlotsError, draw
from lear.reproduction.report import FORMAT, Report
from lear.reproduction.report_text import to_csv, to_markdown
from lear.storage.atomic_file import write_whole
from lear.storage.json_file import read_json


def write_report(report: Report, folder: Path) -> None:
    """Write all files of a report; without matplotlib its pictures are left out, with a note."""
    make_folder(folder)
    encoded = msgspec.json.format(msgspec.json.encode(report), indent=1)
    write_whole(folder / f"{report.name}.json", encoded + b"\n")
    write_whole(folder / f"{report.name}.csv", to_csv(report).encode())
    picture = None
    try:
        for image_format, content in draw(report).items():
            write_whole(folder / f"{report.name}.{image_format}", content)
        picture = f"{report.name}.svg"
    except NoPlotsError as error:
        note(str(error))
    write_whole(folder / f"{report.name}.md", to_markdown(report, picture=picture).encode())


def make_folder(folder: Path) -> None:
    """Make the folder of reports, if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be made: {error.strerror}") from None


def read_report(path: Path) -> Report:
    """The report in a JSON file."""
    report = read_json(path, Report, "a report of `lear reproduce`")
    if report.format != FORMAT:
        raise DataError(f"{path}: not a report of this version of lear ({FORMAT})")
    return report
