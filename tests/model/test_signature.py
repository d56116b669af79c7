"""A checksum tells every change of what was signed."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lear.model.model_file import check_signature, signed

TENSORS: dict[str, NDArray[Any]] = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b": np.zeros(2, dtype=np.int64),
}
METADATA = {"format": "x", "header": "{}"}


def test_what_was_signed_is_accepted_in_any_order() -> None:
    metadata = signed(METADATA, TENSORS)
    check_signature(metadata, TENSORS)
    check_signature(dict(reversed(metadata.items())), dict(reversed(TENSORS.items())))


@pytest.mark.parametrize(
    ("metadata", "tensors"),
    [
        ({}, {"a": TENSORS["a"] + 1}),
        ({}, {"a": TENSORS["a"].astype(np.float64)}),
        ({}, {"a": TENSORS["a"].reshape(3, 2)}),
        ({}, {"c": TENSORS["a"]}),
        ({"header": "{ }"}, {}),
        ({"more": ""}, {}),
        ({"sha256": "0" * 64}, {}),
    ],
)
def test_any_change_is_told(metadata: dict[str, str], tensors: dict[str, NDArray[Any]]) -> None:
    changed = {**signed(METADATA, TENSORS), **metadata}
    with pytest.raises(ValueError, match="checksum"):
        check_signature(changed, {**TENSORS, **tensors})


def test_without_a_signature_nothing_is_accepted() -> None:
    with pytest.raises(ValueError, match="checksum"):
        check_signature(METADATA, TENSORS)
