"""From rows to the records of their answers: the one function that all ways of doing many share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lear.bulk.rows import Row
from lear.decoding.limits import DEFAULT_LIMITS, MAX_REMEMBERED, Limits
from lear.decoding.unknown_words import UnknownWords
from lear.domain.domain import Execute
from lear.domain.form_execution import open_store, run_form
from lear.errors import FormError, UsageError
from lear.parser import Parse, Parser

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
