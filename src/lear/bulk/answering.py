"""Rows of input, and the records of their answers: what all ways of answering many share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lear.answering.request import DEFAULT_LIMITS, MAX_REMEMBERED, Limits
from lear.domain import open_store, run_form
from lear.domains.registry import is_from_file
from lear.errors import FormError, UsageError
from lear.grammar.unknown_words import UnknownWords
from lear.parser import Parse, Parser

SENTENCE_FIELDS = ("sentence", "text", "utterance")
"""Fields or columns that may hold the sentence; the first one that is there does."""
ANSWER_FIELDS = (
    "text",
    "sentence",
    "form",
    "probability",
    "score",
    "reason",
    "derivation",
    "repaired",
    "guessed",
    "overlooked",
    "unused",
    "nbest",
    "answer",
    "unit",
    "error",
)
"""What an answer says; fields of the input that are named so give way to it."""


class Row(NamedTuple):
    """A row of input: its sentence; or what is wrong with it, and the beginning of its text."""

    fields: dict[str, object]
    """Other fields of the row, which are kept."""
    sentence: str
    error: str = ""


def row_of(fields: dict[str, object], place: str) -> Row:
    """Return a row of named fields."""
    name = next((name for name in SENTENCE_FIELDS if name in fields), None)
    if name is None:
        *others, last = (f"`{name}`" for name in SENTENCE_FIELDS)
        return Row({}, "", f"{place}: no field {', '.join(others)} or {last}")
    sentence = fields[name]
    if not isinstance(sentence, str):
        return Row(fields, "", f"{place}: `{name}` is not text")
    return Row(fields, sentence)


def kept_fields(fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a row that are not the answer's."""
    return {name: value for name, value in fields.items() if name not in ANSWER_FIELDS}


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
    """False leaves probabilities out, which take most of the time."""
    executes: bool = False
    store: str | None = None
    """A file of facts; None for those that ship."""
    data: str | None = None
    """The folder of `--data`."""
    max_remembered: int = MAX_REMEMBERED
    """Answers do not depend on it, but time and memory do."""

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
        self._execute = None
        if settings.executes:
            self._execute = open_store(self.parser.domain, settings.store, settings.data)

    def records(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """Return what is written of each row, in order; one that cannot be read has a reason."""
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

    def require_known_elsewhere(self) -> None:
        """Raise `UsageError` if other processes could not make the same parser."""
        name = self.parser.domain.name
        if is_from_file(name):
            raise UsageError(
                f"domain {name!r} is in a file, which other processes do not run: use --jobs 1"
            )
