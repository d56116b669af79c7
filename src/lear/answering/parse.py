"""An answer of a parser, and all that can be asked of it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from lear.algebra.algebra import Meaning
from lear.algebra.derivations import Derivation, explained_json, to_json
from lear.algebra.drawing import as_latex, as_svg, as_text
from lear.answering.words import MarkKind as MarkKind
from lear.answering.words import Substitution as Substitution
from lear.answering.words import WordMark
from lear.errors import DataError, FormError

if TYPE_CHECKING:
    from lear.answering.answers import Answer


class RunsForms(Protocol):
    """What runs forms; it can be pickled, as it knows its domain by name."""

    def run(self, form: str) -> object:
        """Return what a form comes to."""

    def unit(self, form: str) -> str | None:
        """Return the unit of that; None if it has none."""


RunForm = Callable[[str], dict[str, object]]
"""A form -> `answer`, and `unit` if its numbers have one; or `error`."""


class RefusedSpan(NamedTuple):
    """A part of the sentence that stood in the way of an answer."""

    begin: int
    end: int
    """Among the tokens, half-open."""
    why: str
    """In a word or two, such as `unknown`; the reason has the whole of it."""


@dataclass(frozen=True, repr=False)
class Parse:
    """An answer: the form with its derivation, or the reason why there is none.

    Derivation, probability, denotation and notes are worked out when they are first asked for.

    >>> import lear
    >>> parse = lear.Parser.from_pretrained("cogs")("Emma slept.")
    >>> parse.form
    'sleep . agent ( x _ 1 , Emma )'
    >>> round(parse.probability, 2)
    1.0
    """

    text: str
    """As it was given."""
    tokens: tuple[str, ...]
    """As they were parsed: repaired words in place of misspelt ones."""
    form: str | None
    meaning: Meaning | None = field(compare=False)
    score: float
    """Of the best derivation; not comparable between sentences: see `probability`."""
    reason: str
    """Why there is no form; empty when there is one."""
    repaired: tuple[Substitution, ...] = ()
    """Clear misspellings and synonyms, and the known words that they were taken for."""
    guessed: tuple[Substitution, ...] = ()
    """Words never seen, and what they were read as."""
    refused: tuple[RefusedSpan, ...] = ()
    """Where in the sentence the reason lies; none if there is a form, or no such place."""
    word_marks: tuple[WordMark, ...] = ()
    """Where repaired and guessed words stand; `marks` has those left out, too."""
    alternatives: tuple["Parse", ...] = ()
    """The other answers that were asked for, best first."""
    _answer: "Answer | None" = field(default=None, compare=False)
    _together: "Sequence[Answer]" = field(default=(), compare=False)
    """The answers that may be weighed with it."""
    _runner: RunsForms | None = field(default=None, compare=False)

    @property
    def nbest(self) -> tuple["Parse", ...]:
        """All answers asked for, this one first; none if there is no answer."""
        return () if self.form is None else (self, *self.alternatives)

    @cached_property
    def derivation(self) -> Derivation | None:
        """How the form came about."""
        return None if self._answer is None else self._answer.derivation()

    @property
    def explained_derivation(self) -> bytes | None:
        """The derivation as JSON text, with the partial meaning, symbol, score and order of nodes.

        An answer that comes from another process has none of these, and is None here.
        """
        if self._answer is None or self.derivation is None:
            return None
        return explained_json(self.derivation, self.tokens, self._answer.notes())

    @cached_property
    def probability(self) -> float | None:
        """How sure the model is of the form, from 0 to 1; None if it cannot tell."""
        return None if self._answer is None else self._answer.probability(self._together)

    @cached_property
    def marks(self) -> tuple[WordMark, ...]:
        """Where the words stand that were repaired, guessed, overlooked or not used."""
        left_out = () if self._answer is None else self._answer.left_out()
        return (*self.word_marks, *left_out)

    @property
    def overlooked(self) -> tuple[str, ...]:
        """Words that the form leaves out: unknown ones, and others that are no function words."""
        return tuple(mark.text for mark in self.marks if mark.kind == "overlooked")

    @property
    def unused(self) -> tuple[str, ...]:
        """Words that mostly mean something, and mean nothing here, as in no training row."""
        return tuple(mark.text for mark in self.marks if mark.kind == "unused")

    @cached_property
    def denotation(self) -> object:
        """What the form comes to on the facts that ship, where the domain has any; else None."""
        return None if self._runner is None or self.form is None else self._runner.run(self.form)

    @property
    def unit(self) -> str | None:
        """The unit of the denotation, such as `square miles`; None if it has none."""
        return None if self._runner is None or self.form is None else self._runner.unit(self.form)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was repaired, guessed, overlooked and not used, a line each."""
        notes = []
        if self.repaired:
            notes.append(f"read {_listed(self.repaired)}")
        if self.guessed:
            notes.append(f"never seen, guessed: {_listed(self.guessed)}")
        if self.overlooked:
            notes.append(f"overlooked: {_each_once(self.overlooked)}")
        if self.unused:
            notes.append(f"without use here: {_each_once(self.unused)}")
        return tuple(notes)

    def to_dict(self, *, execute: bool = False) -> dict[str, Any]:
        """Return all of it as plain values, for `json.dumps`; a derivation is a tree of dicts.

        Args:
            execute: Whether the form is run, where the domain can: `answer`, and `unit` if its
                numbers have one, or `error`.
        """
        derivation = (
            {} if self.derivation is None else msgspec.json.decode(to_json(self.derivation))
        )
        record = self.to_record(has_derivation=False, nbest=True, execute=execute)
        return record | ({"derivation": derivation} if derivation else {})

    def to_json(self, *, execute: bool = False, explained: bool = False) -> bytes:
        """Return the same as JSON text, however deep the derivation is."""
        return msgspec.json.encode(self.to_record(explained=explained, nbest=True, execute=execute))

    def to_record(
        self,
        *,
        has_probability: bool = True,
        has_derivation: bool = True,
        explained: bool = False,
        has_places: bool = False,
        nbest: bool = False,
        execute: "bool | RunForm" = False,
    ) -> dict[str, Any]:
        """Return all that there is to tell, by its names in JSON; what there is not is left out.

        Args:
            has_probability: False leaves the probability out, which is most of the work.
            has_derivation: Whether to tell the derivation, which is JSON text already.
            explained: Whether nodes of the derivation tell their meaning, symbol and score.
            has_places: Whether to tell the `tokens`, and the `marks` among them.
            nbest: Whether to list all answers by rank, if more than one was asked for and found.
            execute: Whether to run the form, where the domain can; or what runs it.
        """
        record: dict[str, Any] = {"text": self.text, "sentence": " ".join(self.tokens)}
        if has_places:
            record["tokens"] = self.tokens
        record["form"] = self.form
        if self.form is not None:
            record |= {"probability": self.probability} if has_probability else {}
            record["score"] = self.score
        else:
            record["reason"] = self.reason
            if self.refused:
                record["refused"] = [{"span": span, "why": why} for *span, why in self.refused]
        record |= self._told_of_words(has_places=has_places)
        if has_derivation and self.derivation is not None:
            explanation = self.explained_derivation if explained else None
            record["derivation"] = msgspec.Raw(explanation or to_json(self.derivation))
        if nbest and self.alternatives:
            record["nbest"] = [
                {"rank": rank, "form": answer.form, "probability": answer.probability}
                for rank, answer in enumerate(self.nbest, start=1)
            ]
        if execute and self.form is not None:
            record |= self._run() if execute is True else execute(self.form)
        return record

    def _told_of_words(self, *, has_places: bool) -> dict[str, Any]:
        """Return what was done about words, as far as anything was."""
        record: dict[str, Any] = {}
        for name, pairs in (("repaired", self.repaired), ("guessed", self.guessed)):
            if pairs:
                record[name] = [{"word": word, "read_as": read_as} for word, read_as in pairs]
        for name, words in (("overlooked", self.overlooked), ("unused", self.unused)):
            if words:
                record[name] = list(words)
        if has_places:
            record["marks"] = [
                {"span": span, "kind": kind, "text": text} for *span, kind, text in self.marks
            ]
        return record

    def _run(self) -> dict[str, Any]:
        """Return what the form comes to, as commands tell it."""
        if self._runner is None or self.form is None:
            return {}
        try:
            answer, unit = self.denotation, self.unit
        except (FormError, DataError) as error:
            return {"error": str(error)}
        return {"answer": answer} if unit is None else {"answer": answer, "unit": unit}

    def __repr__(self) -> str:
        """What was asked and answered, and how sure that is; words that were changed, if any."""
        shown: dict[str, object] = {"text": self.text, "form": self.form}
        shown |= {"reason": self.reason} if self.form is None else {}
        changed = {name: getattr(self, name) for name in ("repaired", "guessed")}
        shown |= {name: pairs for name, pairs in changed.items() if pairs}
        fields = [f"{name}={value!r}" for name, value in shown.items()]
        if self.form is not None:
            sure = self.probability
            fields.insert(2, f"probability={sure if sure is None else format(sure, '.2f')}")
        return f"Parse({', '.join(fields)})"

    def __str__(self) -> str:
        if self.derivation is None:
            return f"no answer: {self.reason}"
        return f"{as_text(self.derivation, self.tokens)}\n=> {self.form}"

    def to_svg(self) -> str:
        """Return a picture of the derivation; empty if there is none."""
        return "" if self.derivation is None else as_svg(self.derivation, self.tokens)

    def to_latex(self) -> str:
        """Return the derivation for LaTeX's package forest; empty if there is none."""
        return "" if self.derivation is None else as_latex(self.derivation, self.tokens)

    def _repr_svg_(self) -> str | None:
        return self.to_svg() or None

    def _repr_html_(self) -> str:
        """What notebooks show: the picture, the form, and what there is to know about it."""
        if self.form is None:
            return f"<p><b>No answer</b>: {escape(self.reason)}</p>"
        sure = "" if self.probability is None else f" <small>{100 * self.probability:.1f} %</small>"
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        form = f"<p><code>{escape(self.form)}</code>{sure}</p>"
        return f"{self.to_svg()}{form}{f'<ul>{notes}</ul>' if notes else ''}"

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: all that can be found out; the form is run where the copy is asked."""
        state = {f.name: getattr(self, f.name) for f in fields(self)}
        return state | {
            "_answer": None,
            "_together": (),
            "derivation": self.derivation,
            "probability": self.probability,
            "marks": self.marks,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def _listed(pairs: Iterable[Substitution]) -> str:
    return ", ".join(map(str, pairs))


def _each_once(words: Iterable[str]) -> str:
    return ", ".join(map(repr, dict.fromkeys(words)))
