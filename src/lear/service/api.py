"""The types of requests, answers and errors; checks and the OpenAPI document are made of them."""

import ast
import inspect
import textwrap
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from lear.answering.parse import MarkKind
from lear.grammar.unknown_words import UnknownWords
from lear.service.settings import RequestLimits
from lear.version import __version__


class ErrorDetail(msgspec.Struct, frozen=True):
    """What is wrong."""

    code: str
    """One word for programs, which does not change."""
    message: str
    """One line for people."""


class ErrorBody(msgspec.Struct, frozen=True):
    """The body of every answer that is no success."""

    error: ErrorDetail
    """What is wrong."""


class ApiError(Exception):
    """An answer that is no success, with one of these codes."""

    STATUS: ClassVar[dict[str, int]] = {
        "bad_request": 400,
        "bad_host": 400,
        "bad_json": 400,
        "bad_field": 400,
        "unauthorized": 401,
        "not_found": 404,
        "unknown_model": 404,
        "wrong_method": 405,
        "slow_client": 408,
        "too_large": 413,
        "too_many_texts": 413,
        "too_many_tokens": 413,
        "wrong_media_type": 415,
        "time_limit": 422,
        "headers_too_large": 431,
        "internal": 500,
        "worker_died": 500,
        "overloaded": 503,
        "not_ready": 503,
    }
    """Code -> status, of all codes."""

    def __init__(self, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.headers = headers or {}
        self.status = self.STATUS[code]
        self.body = msgspec.json.encode(ErrorBody(ErrorDetail(code, message)))


Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]
Positive = Annotated[int, msgspec.Meta(ge=1)]


class ParseRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sentences to be parsed by one model."""

    model: str
    """The name of the model."""
    texts: list[str]
    """Sentences, at least one."""
    nbest: Positive = 1
    """How many different answers to look for."""
    execute: bool = False
    """True runs forms, where the model's domain has facts."""
    unknown_words: UnknownWords = "refuse"
    """What is done about words that nothing can be made of."""
    min_probability: Probability = 0.0
    """Give no answer that is less likely than this."""
    derivation: bool = True
    """False leaves out how the form came about."""


class ReadAs(msgspec.Struct, frozen=True):
    """A word, and what it was taken for."""

    word: str
    """The word as it was sent."""
    read_as: str
    """Known words, or what such a word is: `a new noun`."""


class Refused(msgspec.Struct, frozen=True):
    """A part of a sentence that stood in the way of an answer."""

    span: tuple[int, int]
    """Its place among the tokens, half-open."""
    why: str
    """The reason in a word or two, such as `unknown`."""


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
    """Where its span begins."""
    end: int
    """Where its span ends."""
    span: tuple[int, int]
    """`begin` and `end` among the tokens, half-open."""
    words: tuple[str, ...]
    """All tokens of its span."""
    function_words: tuple[str, ...]
    """The tokens that belong to the node itself."""
    symbol: str
    """What the rule above it shows of it: its category, or less."""
    meaning: str
    """The meaning of its part of the sentence, as text."""
    score: float | None
    """What this step adds to the score of the answer; null where steps have no scores."""
    order: int
    """When it was built, from 0: children come before their parents."""
    children: tuple["DerivationNode", ...]
    """Its parts from left to right; a leaf has none."""
    operation: str | msgspec.UnsetType = msgspec.UNSET
    """The name of a node's operation in the model's algebra; a leaf has none."""
    primitive: PrimitiveOfNode | msgspec.UnsetType = msgspec.UNSET
    """The primitive of a leaf; a node has none."""


def _described(*kinds: dict[str, Any]) -> msgspec.Meta:
    """Describe values that are passed on as they are."""
    return msgspec.Meta(extra_json_schema={"anyOf": [*kinds, {"type": "null"}]})


_PART = {"type": ["string", "number", "boolean", "array"]}
Denotation = Annotated[Any, _described(_PART | {"items": _PART})]
Derivation = Annotated[Any, _described({"$ref": "#/components/schemas/DerivationNode"})]


class Mark(msgspec.Struct, frozen=True):
    """What was done about some words of a sentence, and where they stand."""

    span: tuple[int, int]
    """Its place among the tokens, half-open."""
    kind: MarkKind
    """What was done about them."""
    text: str
    """The word that was typed, if it was repaired; what it was read as, if it was guessed; else the
    words themselves."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One form for a sentence."""

    form: str
    """The form as the model's domain writes it."""
    probability: float | None
    """From 0 to 1; null where the model cannot tell."""
    score: float
    """The score of the best derivation; not comparable between sentences."""
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
    """The answer for people, in one line."""
    error: str | None = None
    """Why the form could not be run."""
    derivation: Derivation = None
    """How the form came about, from its root; null unless it was asked for."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one sentence: the fields of the best answer, or a reason why there is none."""

    text: str
    """The sentence as it was sent."""
    tokens: tuple[str, ...]
    """Its tokens as they were parsed, with repaired words in place of misspelt ones."""
    form: str | None
    """The form of the best answer; null where there is none."""
    probability: float | None
    """From 0 to 1; null without an answer, or where the model cannot tell."""
    score: float | None
    """The score of the best derivation; not comparable between sentences."""
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
    """The answer for people, in one line."""
    error: str | None
    """Why the form could not be run."""
    derivation: Derivation
    """How the form came about, from its root; null unless there is one and it was asked for."""
    nbest: tuple[Answer, ...]
    """All answers, best first, where more than one was asked for."""


class ParseResponse(msgspec.Struct, frozen=True):
    """One result for each text, in order."""

    model: str
    """The name of the model."""
    results: tuple[Result, ...]
    """The results in the order of the texts."""


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
    """One line about it."""
    can_execute: bool
    """True if its forms can be run."""


class ModelCard(ModelSummary, frozen=True):
    """What there is to know of a model."""

    license: str
    """The licence of the model."""
    decoding: str
    """`chart`, or `greedy`, which has one answer only."""
    num_words: int
    """Words that training showed."""
    operations: dict[str, str]
    """Operation of its algebra -> what it takes and gives."""
    about: dict[str, Any]
    """Where it comes from: version, benchmark, seed, scores."""
    examples: tuple[ExampleSentence, ...]
    """Sentences to try it with, if there are any."""


class ModelList(msgspec.Struct, frozen=True):
    """The models that are served; the first one is the default of the page."""

    models: tuple[ModelSummary, ...]
    """The models in the order that they were named in."""


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
    """The name of the model."""
    word: str
    """The word as it was looked up."""
    units: tuple[LexiconUnit, ...]
    """The units that the word is part of."""
    function_word: int | None
    """In how many training rows it is a function word; null if it is none."""
    suggestion: str | None
    """A known word that looks like it, if the word is not known."""


class Status(msgspec.Struct, frozen=True):
    """Whether the service is well."""

    status: str
    """`ok` or `ready`."""
    version: str
    """The version of lear."""
    trouble: str | None = None
    """Why workers that end cannot be replaced at present, though there are others."""


TYPES = (
    *(ParseRequest, ParseResponse, Result, Answer, DerivationNode, PrimitiveOfNode),
    *(ReadAs, Refused, Mark, ModelList, ModelSummary, ModelCard, ExampleSentence),
    *(LexiconAnswer, LexiconUnit, LexiconEntry, Status, ErrorBody, ErrorDetail),
)
JSON = "application/json"
REFERENCE = "#/components/schemas/{name}"
_TEXT = {"required": True, "schema": {"type": "string"}}
NAME = _TEXT | {"name": "name", "in": "path", "description": "A model's name."}
WORD = _TEXT | {"name": "word", "in": "query", "description": "One word."}
ANYWHERE = ("bad_request", "bad_host", "slow_client", "headers_too_large", "internal", "overloaded")
"""Codes of errors that every request may meet."""
BY_WORKERS = ("bad_field", "unknown_model", "time_limit", "worker_died", "not_ready")
OF_BODIES = ("bad_json", "too_large", "too_many_texts", "too_many_tokens", "wrong_media_type")


def openapi(limits: RequestLimits, *, has_token: bool) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document.

    Args:
        limits: What a request may ask for.
        has_token: True if clients have to send a token.
    """
    limits_text = (
        f"At most {limits.texts:,} texts of {limits.tokens:,} tokens, {limits.body_bytes:,} bytes, "
        f"{limits.seconds:g} seconds and nbest {limits.nbest}."
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "lear",
            "version": __version__,
            "description": f"Codes of errors: {', '.join(sorted(ApiError.STATUS))}.",
        },
        "paths": _paths(limits_text, [{"token": []}] if has_token else [{}, {"token": []}]),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Needed where the service was started with a token.",
                }
            },
        },
    }


def _paths(limits_text: str, security: list[dict[str, list[str]]]) -> dict[str, Any]:
    body = {"required": True, "content": {JSON: {"schema": _reference(ParseRequest)}}}
    token: dict[str, Any] = {"security": security, "codes": ("unauthorized",)}
    model = token | {"parameters": [NAME], "codes": ("unauthorized", "unknown_model", "not_ready")}
    word = token | {"parameters": [NAME, WORD], "codes": ("unauthorized", *BY_WORKERS)}
    parse = token | {
        "requestBody": body,
        "description": limits_text,
        "codes": ("unauthorized", *BY_WORKERS, *OF_BODIES),
    }
    get = {
        "/api/models": _operation("List the models", ModelList, **token),
        "/api/models/{name}": _operation("Describe a model", ModelCard, **model),
        "/api/models/{name}/lexicon": _operation("Look a word up", LexiconAnswer, **word),
        "/api/openapi.json": _operation("Describe this API", dict, **token),
        "/healthz": _operation("Whether the service is alive", Status),
        "/readyz": _operation("Whether the service can answer", Status, codes=("not_ready",)),
        "/metrics": _operation("What is counted, for Prometheus", None, **token),
    }
    return {
        "/api/parse": {"post": _operation("Parse sentences", ParseResponse, **parse)},
        **{path: {"get": operation} for path, operation in get.items()},
    }


def _operation(
    summary: str, answer: type | None, codes: Iterable[str] = (), **more: Any
) -> dict[str, Any]:
    content = {"text/plain": {}} if answer is None else {JSON: {"schema": _reference(answer)}}
    responses = {"200": {"description": "What was asked for.", "content": content}}
    by_status: dict[int, list[str]] = {}
    for code in (*ANYWHERE, *codes):
        by_status.setdefault(ApiError.STATUS[code], []).append(code)
    for status, its_codes in sorted(by_status.items()):
        responses[str(status)] = {
            "description": f"An error: {', '.join(sorted(its_codes))}.",
            "content": {JSON: {"schema": _reference(ErrorBody)}},
        }
    return {"summary": summary, "responses": responses, **more}


def _reference(kind: type) -> dict[str, str]:
    """The schema of a type."""
    if kind not in TYPES:
        return {"type": "object"}
    return {"$ref": REFERENCE.format(name=kind.__name__)}


def _schemas() -> dict[str, Any]:
    """Return the schemas of all types, with the description of each field."""
    _, components = msgspec.json.schema_components(TYPES, ref_template=REFERENCE)
    for kind in TYPES:
        for base in reversed(kind.__mro__):
            for field, text in _field_docs(base).items():
                components[kind.__name__]["properties"][field]["description"] = text
    return components


def _field_docs(kind: type) -> dict[str, str]:
    """Return the text that follows each field of a class in its source."""
    if kind.__module__ != __name__:
        return {}
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    docs = {}
    for field, text in zip(definition.body, definition.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            name = ast.unparse(field.target)
            docs[name] = inspect.cleandoc(ast.literal_eval(text.value))
    return docs
