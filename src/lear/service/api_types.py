"""What requests and answers of the API look like; their checks and the OpenAPI come of this."""

from typing import Annotated, Any

import msgspec

from lear.decoding.unknown_words import UnknownWords
from lear.decoding.word_check import MarkKind

Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]
Positive = Annotated[int, msgspec.Meta(ge=1)]


class ParseRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sentences to be parsed by one model."""

    model: str
    texts: list[str]
    nbest: Positive = 1
    """How many different answers to look for."""
    execute: bool = False
    """Whether to run forms, where the model's domain has facts."""
    unknown_words: UnknownWords = "refuse"
    """What is done about words that nothing can be made of."""
    min_probability: Probability = 0.0
    """Give no answer that is less likely than this."""
    derivation: bool = True
    """Whether to tell how the form came about."""


class ReadAs(msgspec.Struct, frozen=True):
    """A word, and what it was taken for."""

    word: str
    read_as: str


class Refused(msgspec.Struct, frozen=True):
    """A part of a sentence that stood in the way of an answer."""

    span: tuple[int, int]
    """Among the tokens, half-open."""
    why: str


class Mark(msgspec.Struct, frozen=True):
    """What was done about some words of a sentence, and where they stand."""

    span: tuple[int, int]
    """Among the tokens, half-open."""
    kind: MarkKind
    text: str
    """The word that was typed, if it was repaired; what it was read as, if it was guessed; else the
    words themselves."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One form for a sentence."""

    form: str
    probability: float | None
    """None where the model cannot tell."""
    score: float
    """Of the best derivation; not comparable between sentences."""
    overlooked: tuple[str, ...] = ()
    """Words that the form leaves out."""
    unused: tuple[str, ...] = ()
    """Words that mostly mean something, and mean nothing here."""
    marks: tuple[Mark, ...] = ()
    """Where words stand that were repaired, guessed, overlooked or not used in this answer."""
    answer: Any = None
    """What the form comes to, where it was run: names, numbers, or yes or no."""
    unit: str | None = None
    """The unit of the numbers in it."""
    answer_text: str | None = None
    """The same for people, in one line."""
    error: str | None = None
    """Why the form could not be run."""
    derivation: Any = None
    """A nested node, as `lear parse --format json` prints it."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one sentence: the fields of the best answer, or a reason why there is none."""

    text: str
    """As it was sent."""
    tokens: tuple[str, ...]
    """As they were parsed: repaired words in place of misspelt ones."""
    form: str | None
    probability: float | None
    score: float | None
    reason: str | None
    """Why there is no form; None when there is one."""
    refused: tuple[Refused, ...]
    """Where in the sentence the reason lies."""
    repaired: tuple[ReadAs, ...]
    guessed: tuple[ReadAs, ...]
    """Words never seen, and what they were read as."""
    overlooked: tuple[str, ...]
    unused: tuple[str, ...]
    marks: tuple[Mark, ...]
    """Where all of these words stand."""
    answer: Any
    unit: str | None
    answer_text: str | None
    error: str | None
    derivation: Any
    nbest: tuple[Answer, ...]
    """All answers, best first, where more than one was asked for."""


class ParseResponse(msgspec.Struct, frozen=True):
    """One result for each text, in order."""

    model: str
    results: tuple[Result, ...]


class ExampleSentence(msgspec.Struct, frozen=True):
    """A sentence to try a model with."""

    kind: str
    """What it shows: `plain`, `deep`, `unknown` (a word), `ambiguous`, `repaired`, `refused`; or
    `training`, which is a training row."""
    text: str


class ModelSummary(msgspec.Struct, frozen=True):
    """A model in the list."""

    name: str
    domain: str
    description: str
    can_execute: bool
    """Whether its forms can be run."""


class ModelCard(ModelSummary, frozen=True):
    """What there is to know of a model."""

    license: str
    decoding: str
    """`chart`, or `greedy`, which has one answer only."""
    num_words: int
    """Words that training showed."""
    operations: dict[str, str]
    """Of its algebra -> what each takes and gives."""
    about: dict[str, Any]
    """Where it comes from: version, benchmark, seed, scores."""
    examples: tuple[ExampleSentence, ...]


class ModelList(msgspec.Struct, frozen=True):
    """The models that are served; the first one is the default of the page."""

    models: tuple[ModelSummary, ...]


class LexiconEntry(msgspec.Struct, frozen=True):
    """One thing that a unit may stand for."""

    type: str
    symbol: str
    feature: str
    count: int
    """Training rows that speak for it."""


class LexiconUnit(msgspec.Struct, frozen=True):
    """A word, or several words that stand for something together."""

    unit: str
    entries: tuple[LexiconEntry, ...]


class LexiconAnswer(msgspec.Struct, frozen=True):
    """What the lexicon of a model says of a word."""

    model: str
    word: str
    units: tuple[LexiconUnit, ...]
    function_word: int | None
    """In how many training rows it is a function word; None if it is none."""
    suggestion: str | None
    """For a word that is not known: a known one that looks like it."""


class Status(msgspec.Struct, frozen=True):
    """Whether the service is well."""

    status: str
    version: str
