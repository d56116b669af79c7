"""What requests and answers of the API look like; their checks and the OpenAPI come of this."""

from typing import Annotated, Any, Literal

import msgspec

from lear.decoding.unknown_words import UnknownWords
from lear.decoding.word_check import MarkKind

Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]
Positive = Annotated[int, msgspec.Meta(ge=1)]


class ParseRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sentences to be parsed by one model."""

    model: str
    """Its name."""
    texts: list[str]
    """Sentences, at least one."""
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
    """As it was sent."""
    read_as: str
    """Known words, or what such a word is: `a new noun`."""


class Refused(msgspec.Struct, frozen=True):
    """A part of a sentence that stood in the way of an answer."""

    span: tuple[int, int]
    """Among the tokens, half-open."""
    why: str
    """In a word or two, such as `unknown`."""


class PrimitiveOfNode(msgspec.Struct, frozen=True):
    """What a word stands for in a derivation."""

    type: str
    """A type of the model's domain."""
    symbol: str
    """Its symbol in forms."""
    feature: str
    """What tells it from others with this symbol; empty where there is nothing to tell."""


class DerivationNode(msgspec.Struct, frozen=True):
    """A part of a derivation, with the parts that it was made of.

    `lear parse --format json` prints the same tree.
    """

    kind: Literal["node", "leaf"]
    """`node`: an operation on its children. `leaf`: a primitive."""
    begin: int
    """Of its span."""
    end: int
    """Of its span."""
    span: tuple[int, int]
    """`begin` and `end` among the tokens, half-open."""
    words: tuple[str, ...]
    """All tokens of its span."""
    function_words: tuple[str, ...]
    """Those that belong to the node itself."""
    symbol: str
    """What a rule above it shows of it: its category, or less."""
    meaning: str
    """Of its part of the sentence, as text."""
    score: float | None
    """What this step adds to the score of the answer; null where steps have no scores."""
    order: int
    """When it was built, from 0: children before their parents."""
    children: tuple["DerivationNode", ...]
    """From left to right; a leaf has none."""
    operation: str | msgspec.UnsetType = msgspec.UNSET
    """Of a node: its name in the model's algebra."""
    primitive: PrimitiveOfNode | msgspec.UnsetType = msgspec.UNSET
    """Of a leaf."""


def _described(*kinds: dict[str, Any]) -> msgspec.Meta:
    """For values that are passed on as they are: what they look like."""
    return msgspec.Meta(extra_json_schema={"anyOf": [*kinds, {"type": "null"}]})


_PART = {"type": ["string", "number", "boolean", "array"]}
Denotation = Annotated[Any, _described(_PART | {"items": _PART})]
Derivation = Annotated[Any, _described({"$ref": "#/components/schemas/DerivationNode"})]


class Mark(msgspec.Struct, frozen=True):
    """What was done about some words of a sentence, and where they stand."""

    span: tuple[int, int]
    """Among the tokens, half-open."""
    kind: MarkKind
    """What was done about them."""
    text: str
    """The word that was typed, if it was repaired; what it was read as, if it was guessed; else the
    words themselves."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One form for a sentence."""

    form: str
    """As the model's domain writes it."""
    probability: float | None
    """From 0 to 1; null where the model cannot tell."""
    score: float
    """Of the best derivation; not comparable between sentences."""
    overlooked: tuple[str, ...] = ()
    """Words that the form leaves out."""
    unused: tuple[str, ...] = ()
    """Words that mostly mean something, and mean nothing here, as in no training row."""
    marks: tuple[Mark, ...] = ()
    """Where words stand that were repaired, guessed, overlooked or not used in this answer."""
    answer: Denotation = None
    """What the form comes to, where it was run: names, numbers, or yes or no."""
    unit: str | None = None
    """The unit of the numbers in it."""
    answer_text: str | None = None
    """The same for people, in one line."""
    error: str | None = None
    """Why the form could not be run."""
    derivation: Derivation = None
    """How the form came about, from its root; null unless it was asked for."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one sentence: the fields of the best answer, or a reason why there is none."""

    text: str
    """As it was sent."""
    tokens: tuple[str, ...]
    """As they were parsed: repaired words in place of misspelt ones."""
    form: str | None
    """Of the best answer; null where there is none."""
    probability: float | None
    """From 0 to 1; null without an answer, or where the model cannot tell."""
    score: float | None
    """Of the best derivation; not comparable between sentences."""
    reason: str | None
    """Why there is no form; null when there is one."""
    refused: tuple[Refused, ...]
    """Where in the sentence the reason lies."""
    repaired: tuple[ReadAs, ...]
    """Clear misspellings and synonyms, and the known words that they were taken for."""
    guessed: tuple[ReadAs, ...]
    """Words never seen, and what they were read as."""
    overlooked: tuple[str, ...]
    """Words that the form leaves out."""
    unused: tuple[str, ...]
    """Words that mostly mean something, and mean nothing here, as in no training row."""
    marks: tuple[Mark, ...]
    """Where all of these words stand."""
    answer: Denotation
    """What the form comes to, where it was run: names, numbers, or yes or no."""
    unit: str | None
    """The unit of the numbers in it."""
    answer_text: str | None
    """The same for people, in one line."""
    error: str | None
    """Why the form could not be run."""
    derivation: Derivation
    """How the form came about, from its root; null unless there is one and it was asked for."""
    nbest: tuple[Answer, ...]
    """All answers, best first, where more than one was asked for."""


class ParseResponse(msgspec.Struct, frozen=True):
    """One result for each text, in order."""

    model: str
    """As it was asked for."""
    results: tuple[Result, ...]
    """In the order of the texts."""


class ExampleSentence(msgspec.Struct, frozen=True):
    """A sentence to try a model with."""

    kind: str
    """What it shows: `plain`, `deep`, `unknown` (a word), `ambiguous`, `repaired`, `refused`; or
    `training`, which is a training row."""
    text: str
    """The sentence."""


class ModelSummary(msgspec.Struct, frozen=True):
    """A model in the list."""

    name: str
    """What requests call it."""
    domain: str
    """What its sentences and forms are about, such as `cogs`."""
    description: str
    """In a line."""
    can_execute: bool
    """Whether its forms can be run."""


class ModelCard(ModelSummary, frozen=True):
    """What there is to know of a model."""

    license: str
    """Of the model."""
    decoding: str
    """`chart`, or `greedy`, which has one answer only."""
    num_words: int
    """Words that training showed."""
    operations: dict[str, str]
    """Of its algebra -> what each takes and gives."""
    about: dict[str, Any]
    """Where it comes from: version, benchmark, seed, scores."""
    examples: tuple[ExampleSentence, ...]
    """None where nobody made any."""


class ModelList(msgspec.Struct, frozen=True):
    """The models that are served; the first one is the default of the page."""

    models: tuple[ModelSummary, ...]
    """In the order that they were named in."""


class LexiconEntry(msgspec.Struct, frozen=True):
    """One thing that a unit may stand for."""

    type: str
    """A type of the model's domain."""
    symbol: str
    """Its symbol in forms."""
    feature: str
    """What tells it from others with this symbol; empty where there is nothing to tell."""
    count: int
    """Training rows that speak for it."""


class LexiconUnit(msgspec.Struct, frozen=True):
    """A word, or several words that stand for something together."""

    unit: str
    """Its words, with spaces between them."""
    entries: tuple[LexiconEntry, ...]
    """All that it may stand for."""


class LexiconAnswer(msgspec.Struct, frozen=True):
    """What the lexicon of a model says of a word."""

    model: str
    """As it was asked for."""
    word: str
    """As it was looked up."""
    units: tuple[LexiconUnit, ...]
    """Those that the word is part of."""
    function_word: int | None
    """In how many training rows it is a function word; null if it is none."""
    suggestion: str | None
    """For a word that is not known: a known one that looks like it."""


class Status(msgspec.Struct, frozen=True):
    """Whether the service is well."""

    status: str
    """`ok` or `ready`."""
    version: str
    """Of lear."""
    trouble: str | None = None
    """Why workers that end cannot be replaced at present, though there are others."""
