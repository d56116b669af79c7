"""Rows of an input file, as they travel to the process that answers them: in chunks.

From rows to the records of their answers: the one function that all ways of doing many share.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import msgspec

from lear.answering.request import DEFAULT_LIMITS, MAX_REMEMBERED, Limits
from lear.domain import Execute, open_store, run_form
from lear.errors import FormError, UsageError
from lear.grammar.unknown_words import UnknownWords
from lear.parser import Parse, Parser
from lear.storage.files import MAX_SHOWN, NOT_JSON, text_lines

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


ANSWER_FIELDS = frozenset(
    [
        "text",
        "sentence",
        "form",
        "probability",
        "score",
        "derivation",
        "reason",
        "repaired",
        "guessed",
        "overlooked",
        "unused",
        "nbest",
        "answer",
        "unit",
        "error",
    ]
)
"""What an answer says; fields of the input that are named so give way to it."""


@dataclass(frozen=True)
class AnswerSettings:
    """All that answers depend on, and what they cost; can be pickled and compared."""

    model: str
    """A shipped model's name, or a path."""
    unknown_words: UnknownWords = "refuse"
    min_probability: float = 0.0
    limits: Limits = DEFAULT_LIMITS
    skip_steps: tuple[str, ...] = ()
    nbest: int = 1
    has_probability: bool = True
    """Whether records tell it: working it out takes most of the time."""
    executes: bool = False
    store: str | None = None
    """A file of facts; None for those that ship."""
    data: str | None = None
    """The folder of `--data`."""
    max_remembered: int = MAX_REMEMBERED
    """Of this answers do not depend, but time and memory."""

    def __post_init__(self) -> None:
        if not self.has_probability and (self.nbest > 1 or self.min_probability):
            raise UsageError("--nbest and --min-probability need what --no-probability leaves out")


class Answerer:
    """A parser, and facts to run forms on, made from settings."""

    def __init__(self, settings: AnswerSettings) -> None:
        self.settings = settings
        self.parser = Parser.from_pretrained(
            settings.model,
            unknown_words=settings.unknown_words,
            min_probability=settings.min_probability,
            limits=settings.limits,
            skip_steps=settings.skip_steps,
            max_remembered=settings.max_remembered,
        )
        self._execute: Execute | None = None
        if settings.executes:
            self._execute = open_store(self.parser.domain, settings.store, settings.data)

    def records(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """For each row what is written of it, in order; one that cannot be read has a reason."""
        sentences = [row.sentence for row in rows if not row.error]
        parses = iter(self.parser.parse_batch(sentences, self.settings.nbest))
        return [
            kept_fields(row.fields) | {"text": row.sentence, "form": None, "reason": row.error}
            if row.error
            else self._record(row, next(parses))
            for row in rows
        ]

    def _record(self, row: Row, parse: Parse) -> dict[str, Any]:
        record = parse.to_record(has_probability=self.settings.has_probability)
        record |= kept_fields(row.fields)
        if self.settings.nbest > 1:
            record["nbest"] = [
                {"rank": rank, "form": answer.form, "probability": answer.probability}
                for rank, answer in enumerate(parse.nbest, start=1)
            ]
        if self._execute is not None and parse.form is not None:
            try:
                record |= run_form(self.parser.domain, self._execute, parse.form)
            except FormError as error:
                record["error"] = str(error)
        return record


def kept_fields(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields of a row that are not the answer's."""
    return {name: value for name, value in fields.items() if name not in ANSWER_FIELDS}
