"""The files of COGS, and what is wrong with them."""

from pathlib import Path

import pytest

from lear.domains.cogs.domain import GROUP_TITLES, STRUCTURAL_GROUPS, read_rows
from lear.errors import DataError


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"a\tb\tc\na\tb\n", ":2: expected 3 columns"),
        (b"a\tb\tc\td\n", ":1: expected 3 columns"),
        (b"a\tb\tc\n\n", ":2: expected 3 columns"),
        (b"  \tb\tc\n", ":1: the sentence is empty"),
        (b"a\t\tc\n", ":1: the form is empty"),
        (b"a\tb\tc\n\xff\tb\tc\n", ":2: not UTF-8"),
        (b"", ": the file is empty"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, content: bytes, cause: str) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_rows(path)
    assert f"train.tsv{cause}" in str(caught.value)


def test_the_groups_are_the_21_of_the_paper() -> None:
    assert len(GROUP_TITLES) == 21
    assert set(GROUP_TITLES) > STRUCTURAL_GROUPS


@pytest.mark.data
def test_the_files_groups_are_those_with_a_title(data_folder: Path) -> None:
    rows = read_rows(data_folder / "cogs/gen.tsv")
    assert {row.group for row in rows} == set(GROUP_TITLES)
