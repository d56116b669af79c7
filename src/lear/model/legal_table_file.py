"""Legal tables in model files: tensors whose names begin with `legal.`, and a text beside them.

A table follows from the model and from the code of its domain, so only the version of lear that
made it uses it; another one does without, and gives the same answers later. A fingerprint of the
code says whether that has changed since (`lear.search.legal_table_check`).
"""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from lear.search.legal_table import NO_FINGERPRINT, LegalTable
from lear.version import __version__

TEXT = "legal"
"""Its name among the metadata."""
KINDS = {
    "is_complete": np.bool_,
    "num_partners": np.uint32,
    **dict.fromkeys(("argument_symbol", "head_symbol", "partner", "group"), np.uint16),
    **dict.fromkeys(("size", "operation", "result"), np.uint16),
}
"""Columns and their types."""
PREFIX = f"{TEXT}."


class _Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: str
    names: tuple[str, ...]
    code: str = NO_FINGERPRINT


def is_of_table(name: str) -> bool:
    """Whether a tensor of a model file belongs to its table."""
    return name.startswith(PREFIX)


def table_to_tensors(
    table: LegalTable | None,
) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    """What a file says of a table: texts and tensors."""
    if table is None:
        return {}, {}
    text = msgspec.json.encode(_Text(__version__, table.names, table.code)).decode()
    return {TEXT: text}, {PREFIX + name: getattr(table, name) for name in KINDS}


def table_of_tensors(
    texts: Mapping[str, str], tensors: Mapping[str, NDArray[Any]], num_operations: int
) -> LegalTable | None:
    """The table that a file has, if this version can use it; `ValueError` if it is unsound."""
    if TEXT not in texts and not tensors:
        return None
    text = msgspec.json.decode(texts.get(TEXT, ""), type=_Text)
    columns = {name.removeprefix(PREFIX): tensor for name, tensor in tensors.items()}
    if {name: (c.dtype, c.ndim) for name, c in columns.items()} != {
        name: (np.dtype(kind), 1) for name, kind in KINDS.items()
    }:
        raise ValueError("its legal table has other columns")
    table = LegalTable(text.names, **columns, code=text.code)
    if fault := table.fault(num_operations):
        raise ValueError(f"its legal table is unsound: {fault}")
    return table if text.version == __version__ else None
