"""Facts as CSV tables, one for each class of facts: the layout of the facts that ship.

Headings name a field and, in brackets, its unit. Rows are in the order of the facts, which decides
ties. The abbreviation of a state is in the table of states only. This makes the tables that ship
again, from the original file: `write_tables(read_facts(Path("geobase")), SHIPPED)`.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from lear.domains.geo.facts import CLASSES, Fact, Facts, State
from lear.domains.geo.units import KM, METRES, SQUARE_KM, SQUARE_MILES
from lear.errors import DataError
from lear.storage.atomic_file import write_whole
from lear.storage.data_file import numbered_lines

SHIPPED = Path(str(files("lear.domains.geo") / "geobase"))
"""The folder of the tables that ship."""
# Table and field -> the unit in its heading.
_UNITS = {
    ("states", "area"): SQUARE_MILES,
    ("rivers", "length"): KM,
    ("points", "highest_elevation"): METRES,
    ("points", "lowest_elevation"): METRES,
    ("mountains", "elevation"): METRES,
    ("lakes", "area"): SQUARE_KM,
    ("countries", "area"): SQUARE_KM,
}
_LISTS = ("states", "neighbours")
"""Fields that are lists of names."""
_SEPARATOR = "; "


@cache
def shipped_facts() -> Facts:
    """The facts of Geobase, from the tables that ship."""
    return read_tables(SHIPPED)


def read_tables(folder: Path) -> Facts:
    """The facts of a folder of tables; an error names the line."""
    states = list(_read_table(folder, "states", {}))
    abbreviations = {state.name: state.abbreviation for state in states if isinstance(state, State)}
    others = (_read_table(folder, table, abbreviations) for table in CLASSES if table != "states")
    return Facts.of([*states, *(fact for facts in others for fact in facts)])


def write_tables(facts: Facts, folder: Path) -> None:
    """Write the tables of some facts; `read_tables` gives the same facts in the same order."""
    for table in CLASSES:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        columns = _columns(table)
        writer.writerow(columns.values())
        for fact in getattr(facts, table):
            writer.writerow(_cell(getattr(fact, name)) for name in columns)
        write_whole(_path(folder, table), text.getvalue().encode())


def _path(folder: Path, table: str) -> Path:
    return folder / f"{table}.csv"


def _columns(table: str) -> dict[str, str]:
    """The fields of a table with their headings."""
    names = [field.name for field in fields(CLASSES[table])]
    if table != "states":
        names = [name for name in names if name != "abbreviation"]
    return {name: _heading(name, _UNITS.get((table, name))) for name in names}


def _heading(name: str, unit: str | None) -> str:
    words = name.replace("_", " ")
    return words if unit is None else f"{words} ({unit})"


def _cell(value: str | float | tuple[str, ...]) -> str:
    if isinstance(value, tuple):
        return _SEPARATOR.join(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _value(name: str, cell: str) -> str | list[str]:
    if name not in _LISTS:
        return cell
    return cell.split(_SEPARATOR) if cell else []


def _read_table(folder: Path, table: str, abbreviations: Mapping[str, str]) -> Iterator[Fact]:
    path = _path(folder, table)
    columns = _columns(table)
    rows = csv.reader(line for _, line in numbered_lines(path))
    if next(rows, None) != [*columns.values()]:
        raise DataError(f"{path}:1: the headings are not {','.join(columns.values())}")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(columns):
            raise DataError(f"{path}:{number}: {len(columns)} cells are expected, not {len(row)}")
        values = {name: _value(name, cell) for name, cell in zip(columns, row, strict=True)}
        if table != "states" and values.get("state") in abbreviations:
            values["abbreviation"] = abbreviations[str(values["state"])]
        try:
            yield msgspec.convert(values, CLASSES[table], strict=False)
        except msgspec.ValidationError as error:
            raise DataError(f"{path}:{number}: {error}") from None
