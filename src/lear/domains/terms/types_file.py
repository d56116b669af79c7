"""Types as a small TOML file: what `lear types` prints, looked over by a person."""

from pathlib import Path

import msgspec
import tomli_w

from lear.domains.terms.types import TypeTable
from lear.errors import DataError
from lear.storage.files import read_toml


def to_toml(types: TypeTable) -> str:
    """The types as a file that `read_types` reads."""
    return tomli_w.dumps(msgspec.to_builtins(types))


def read_types(path: Path) -> TypeTable:
    """The types of a file; what is wrong with it is a `DataError` that names it."""
    try:
        types = msgspec.convert(read_toml(path, "a file of types"), TypeTable)
    except msgspec.ValidationError as error:
        raise DataError(f"{path}: not a file of types: {error}") from None
    for symbol, place in types.names.items():
        if place < 0:
            raise DataError(f"{path}: names: {symbol} has no argument {place}")
    return types
