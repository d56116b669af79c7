"""A page of all tables: a template in which comments name the tables, `<!-- table: cogs -->`."""

import os
import re
from pathlib import Path

from lear.errors import DataError
from lear.reproduction.experiments import TABLES
from lear.reproduction.report_files import read_report
from lear.reproduction.report_text import to_markdown
from lear.storage.atomic_file import write_whole

TEMPLATE = "template.md"
PLACE = re.compile(r"<!-- table: (\w+) -->")
MADE = "<!-- Made by `lear reproduce --page` of {}: change that, not this. -->\n\n"


def write_page(page: Path, folder: Path) -> None:
    """Write the page of the template and the reports in a folder."""
    write_whole(page, compose(folder, os.path.relpath(folder, page.parent)).encode())


def compose(folder: Path, address: str) -> str:
    """The template with the tables in their places; those without one come last, in order.

    Args:
        folder: The folder of the template and of the JSON files.
        address: How the page calls the folder.
    """
    try:
        template = (folder / TEMPLATE).read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{folder / TEMPLATE}: cannot be read: {error.strerror}") from None
    reports = {path.stem: read_report(path) for path in folder.glob("*.json")}
    sections: dict[str, str] = {}
    for name, report in reports.items():
        picture = f"{address}/{name}.svg" if (folder / f"{name}.svg").is_file() else None
        sections[name] = to_markdown(report, level=2, picture=picture).rstrip()
    placed = set(PLACE.findall(template))
    last = [sections[name] for name in (*TABLES, *sections) if name in sections.keys() - placed]
    text = PLACE.sub(lambda place: sections.get(place[1], _absent(place[1])), template)
    return (
        MADE.format(f"{address}/{TEMPLATE}")
        + "\n\n".join((text.rstrip(), *dict.fromkeys(last)))
        + "\n"
    )


def _absent(name: str) -> str:
    """What stands for a table that was not made."""
    title = TABLES[name].title if name in TABLES else name
    return f"## {title}\n\nNot run (`lear reproduce {name}`)."
