"""The names that models are asked by.

What is told of the models that a service has: their cards, and digests of their files.

Models that are loaded to be served: each is tried before anybody asks it.
"""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import msgspec

from lear.answering.request import Sentence
from lear.errors import DataError, LearError, UsageError
from lear.parser import Limits, Parser
from lear.service.api import ExampleSentence, ModelCard
from lear.service.observing import mistake_of
from lear.storage.datasets import find_model, sha256_of, shipped_models

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class NamedModel(msgspec.Struct, frozen=True):
    """A model and the name that it is asked by."""

    name: str
    source: str
    """A shipped model's name, or a path."""


def named_models(arguments: tuple[str, ...]) -> tuple[NamedModel, ...]:
    """What arguments mean: NAME, PATH or NAME=PATH; all models that ship, if there are none."""
    models = tuple(_named(argument) for argument in arguments or tuple(shipped_models()))
    names = [model.name for model in models]
    for name in names:
        if not NAME.fullmatch(name):
            raise UsageError(f"{name!r} is no name for a model; give one: NAME=PATH")
        if names.count(name) > 1:
            raise UsageError(f"two models are called {name!r}; give one another name: NAME=PATH")
    return models


def _named(argument: str) -> NamedModel:
    name, equals, path = argument.partition("=")
    if equals:
        return NamedModel(name, path)
    is_shipped = argument in shipped_models()
    return NamedModel(argument if is_shipped else Path(argument).resolve().stem, argument)


EXAMPLES = "example_sentences.json"
LICENSE = "MIT; facts and training data have licences of their own"
DESCRIPTIONS = {
    "cogs": "English sentences to neo-Davidsonian forms (COGS)",
    "cfq": "questions about films and people to SPARQL (CFQ)",
    "geo": "questions about the geography of the United States to FunQL (GeoQuery)",
    "slog": "English sentences with relative clauses, and questions, to the same forms (SLOG)",
    "terms": "a language that was worked out from pairs of sentence and form",
}
"""By domain; of others, the benchmark that they were trained on is told."""


def file_digests(models: tuple[NamedModel, ...], domain_file: str | None) -> dict[str, str]:
    """The files that models are loaded from, by what to call them; raises if one is missing."""
    digests = {f"model {model.name!r}": _digest(find_model(model.source)) for model in models}
    if domain_file is not None:
        path = Path(domain_file.partition(":")[0])
        if not path.is_file():
            raise UsageError(f"{path}: no such file")
        digests["the domain"] = _digest(path)
    return digests


def _digest(path: Path) -> str:
    try:
        return sha256_of(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


def model_card(name: str, parser: Parser) -> ModelCard:
    """What there is to know of a model."""
    header, domain = parser.model.header, parser.domain
    benchmark = header.about.get("benchmark", domain.name)
    return ModelCard(
        name=name,
        domain=domain.name,
        description=DESCRIPTIONS.get(domain.name, f"trained on {benchmark}"),
        can_execute=domain.execution is not None,
        license=LICENSE if name in shipped_models() else "that of its training data",
        decoding=header.decoding,
        num_words=len(parser.model.lexicon.words),
        operations={op.name: op.signature for op in domain.language.algebra.operations},
        about=header.about,
        examples=examples_of(name, parser),
    )


def examples_of(model: str, parser: Parser) -> tuple[ExampleSentence, ...]:
    """Sentences to try a model with: those that ship, or else training rows that it keeps."""
    sentences = example_sentences()
    found = sentences.get(model, sentences.get(parser.domain.name, ()))
    trained_on = parser.model.header.about.get("examples")
    if found or not isinstance(trained_on, list):
        return found
    return tuple(ExampleSentence("training", text) for text in trained_on if isinstance(text, str))


def example_sentences() -> dict[str, tuple[ExampleSentence, ...]]:
    """Domain, or a model that knows other words -> sentences to try it with."""
    content = (files("lear.service") / EXAMPLES).read_bytes()
    try:
        return msgspec.json.decode(content, type=dict[str, tuple[ExampleSentence, ...]])
    except msgspec.DecodeError as error:
        raise DataError(f"{EXAMPLES}: {error}") from None


NUM_WORDS = 8
"""Words of its lexicon that a model is tried with."""


def load_models(models: tuple[NamedModel, ...], max_tokens: int) -> dict[str, Parser]:
    """All parsers by name; raises `LearError` if one cannot be loaded, or does not work."""
    return {model.name: _load(model, Limits(tokens=max_tokens)) for model in models}


def _load(model: NamedModel, limits: Limits) -> Parser:
    is_loaded = False
    try:
        parser = Parser.from_pretrained(model.source, limits=limits)
        is_loaded = True
        _try(parser, model.name)
    except Exception as error:
        if isinstance(error, LearError) and not is_loaded:
            raise  # it names the file, and says what is wrong with it
        found = mistake_of(error, ())
        raise DataError(
            f"model {model.name!r} does not fit the code that it is to be used by; train it anew "
            f"({found.kind}: {found.text}; {found.place})"
        ) from error
    return parser


def _try(parser: Parser, name: str) -> None:
    """Have a model answer, with all that there is to its answers."""
    for parse in parser.parse_batch(list(_sentences(parser, name))):
        if parse.form is not None:
            _ = parse.probability, parse.explained_derivation


def _sentences(parser: Parser, name: str) -> Iterator[Sentence]:
    """A sentence that was made for a model, if there is one, and the words that it knows best."""
    for example in examples_of(name, parser)[:1]:
        yield example.text
    lexicon = parser.model.lexicon
    counts = {unit: sum(e.count for e in entries) for unit, entries in lexicon.units.items()}
    yield from sorted(counts, key=lambda unit: (-counts[unit], unit))[:NUM_WORDS]
