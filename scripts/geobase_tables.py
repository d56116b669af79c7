"""Make the tables of facts that ship with GEO from the original file.

python scripts/geobase_tables.py geobase
"""

import csv
import io
import sys
from pathlib import Path

from lear.domains.geo.facts import CLASSES, SEPARATOR, SHIPPED, Facts, columns_of, read_facts
from lear.storage.files import write_whole


def write_tables(facts: Facts, folder: Path) -> None:
    """Write the tables of some facts; `read_tables` gives the same facts in the same order."""
    for table in CLASSES:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        columns = columns_of(table)
        writer.writerow(columns.values())
        for fact in getattr(facts, table):
            writer.writerow(_cell(getattr(fact, name)) for name in columns)
        write_whole(folder / f"{table}.csv", text.getvalue().encode())


def _cell(value: str | float | tuple[str, ...]) -> str:
    if isinstance(value, tuple):
        return SEPARATOR.join(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


if __name__ == "__main__":
    write_tables(read_facts(Path(sys.argv[1])), SHIPPED)
