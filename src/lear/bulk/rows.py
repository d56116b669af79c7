"""Rows of an input file, as they travel to the process that answers them: in chunks."""

import io
from typing import NamedTuple, Protocol

import msgspec

from lear.storage.json_file import NOT_JSON
from lear.storage.text_lines import MAX_SHOWN, text_lines

SENTENCE_FIELDS = ("sentence", "text", "utterance")
"""Fields or columns that may hold the sentence; the first one that is there does."""


class Row(NamedTuple):
    """A row of input: its sentence; or what is wrong with it, and the beginning of its text."""

    fields: dict[str, object]
    """Other fields of the row, which are kept."""
    sentence: str
    error: str = ""


class Chunk(Protocol):
    """Some rows of an input file, one after the other; can be pickled."""

    def rows(self) -> list[Row]:
        """The rows, read."""


class TextChunk(NamedTuple):
    """Lines of a text file, as they are there."""

    source: str
    """The name of the file, for errors."""
    first: int
    """The number of the first line, from 1."""
    content: bytes
    input_format: str
    """`lines`, `tsv` or `jsonl`."""

    @property
    def num_rows(self) -> int:
        """How many lines there are; each has its end."""
        return self.content.count(b"\n")

    def cut(self, rows: int) -> "TextChunk":
        """Its first lines, so many."""
        lines = self.content.split(b"\n", rows)[:rows]
        return self._replace(content=b"".join(line + b"\n" for line in lines))

    def rows(self) -> list[Row]:
        """A row for each line."""
        rows = []
        for number, text, error in text_lines(io.BytesIO(self.content)):
            place = f"{self.source}:{self.first + number - 1}"
            if error:
                rows.append(Row({}, text, f"{place}: {error}"))
            elif self.input_format == "jsonl":
                rows.append(_json_row(text, place))
            else:
                is_tsv = self.input_format == "tsv"
                rows.append(Row({}, text.split("\t")[0] if is_tsv else text))
        return rows


def row_of(fields: dict[str, object], place: str) -> Row:
    """A row of named fields."""
    name = next((name for name in SENTENCE_FIELDS if name in fields), None)
    if name is None:
        *others, last = (f"`{name}`" for name in SENTENCE_FIELDS)
        return Row({}, "", f"{place}: no field {', '.join(others)} or {last}")
    sentence = fields[name]
    if not isinstance(sentence, str):
        return Row(fields, "", f"{place}: `{name}` is not text")
    return Row(fields, sentence)


def _json_row(text: str, place: str) -> Row:
    try:
        fields = msgspec.json.decode(text, type=dict[str, object])
    except NOT_JSON as error:
        return Row({}, text[:MAX_SHOWN], f"{place}: not a JSON object: {error}")
    row = row_of(fields, place)
    return row._replace(sentence=text[:MAX_SHOWN]) if row.error else row
