"""The models of a service: their names, what clients are told of them, and how they are loaded.

A name never means two models: files are loaded again only if they are the same.
"""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import msgspec

from lear.answering.request import Sentence
from lear.domains.registry import load_domain
from lear.errors import DataError, LearError, UsageError
from lear.parser import Limits, Parser
from lear.service.api import ExampleSentence, ModelCard
from lear.service.observing import mistake_of
from lear.storage.datasets import find_model, sha256_of, shipped_models

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
EXAMPLES = "example_sentences.json"
LICENSE = "MIT; facts and training data have licences of their own"
DESCRIPTIONS = {
    "cogs": "English sentences to neo-Davidsonian forms (COGS)",
    "cfq": "questions about films and people to SPARQL (CFQ)",
    "geo": "questions about the geography of the United States to FunQL (GeoQuery)",
    "slog": "English sentences with relative clauses, and questions, to the same forms (SLOG)",
    "terms": "a language that was worked out from pairs of sentence and form",
}
"""By domain; others are described by the benchmark that they were trained on."""
NUM_WORDS = 8
"""Words of its lexicon that a model is tried with."""


class NamedModel(msgspec.Struct, frozen=True):
    """A model and the name that it is asked by."""

    name: str
    source: str
    """A shipped model's name, or a path."""


class ModelsToLoad(msgspec.Struct, frozen=True):
    """The models that a service wants, and what they may cost."""

    models: tuple[NamedModel, ...]
    max_tokens: int
    """Tokens that one sentence may have."""
    domain_file: str | None = None
    """The file of the models' domain, where it is the user's own."""
    digests: dict[str, str] | None = None
    """The digests that the files must have, where they were loaded before."""


def named_models(arguments: tuple[str, ...]) -> tuple[NamedModel, ...]:
    """Return what NAME, PATH or NAME=PATH mean; all models that ship, if there are none."""
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


def load_models(wanted: ModelsToLoad) -> tuple[dict[str, Parser], dict[str, str]]:
    """Return all parsers by name, and the digests of their files.

    Raises `LearError` if one cannot be loaded, does not work, or is not the one that is wanted.
    """
    digests = _digests(wanted, wanted.digests)
    if wanted.domain_file is not None:
        path, _, variable = wanted.domain_file.partition(":")
        load_domain(path, variable or None)
    limits = Limits(tokens=wanted.max_tokens)
    parsers = {model.name: _load(model, limits) for model in wanted.models}
    _digests(wanted, digests)  # nobody has replaced a file meanwhile
    return parsers, digests


def _digests(wanted: ModelsToLoad, expected: dict[str, str] | None) -> dict[str, str]:
    """Return the digests of the files of models; raise `LearError` unless they are as expected."""
    paths = {f"model {model.name!r}": find_model(model.source) for model in wanted.models}
    if wanted.domain_file is not None:
        paths["the domain"] = Path(wanted.domain_file.partition(":")[0])
    found = {}
    for what, path in paths.items():
        if not path.is_file():
            raise UsageError(f"{path}: no such file")
        try:
            found[what] = sha256_of(path)
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
        if expected is not None and expected[what] != found[what]:
            raise DataError(
                f"{what}: its file is another one than the one that was loaded; bring that back, "
                "or start the service anew"
            )
    return found


def _load(model: NamedModel, limits: Limits) -> Parser:
    is_loaded = False
    try:
        parser = Parser.from_pretrained(model.source, limits=limits)
        is_loaded = True
        for parse in parser.parse_batch(list(_sentences(parser, model.name))):
            if parse.form is not None:  # all that there is to an answer
                _ = parse.probability, parse.explained_derivation
    except Exception as error:
        if isinstance(error, LearError) and not is_loaded:
            raise  # it names the file, and says what is wrong with it
        found = mistake_of(error, ())
        raise DataError(
            f"model {model.name!r} does not fit the code that it is to be used by; train it anew "
            f"({found.kind}: {found.text}; {found.place})"
        ) from error
    return parser


def _sentences(parser: Parser, name: str) -> Iterator[Sentence]:
    """Return a sentence that was made for a model, and the words that it knows best."""
    for example in _examples(name, parser)[:1]:
        yield example.text
    lexicon = parser.model.lexicon
    counts = {unit: sum(e.count for e in entries) for unit, entries in lexicon.units.items()}
    yield from sorted(counts, key=lambda unit: (-counts[unit], unit))[:NUM_WORDS]


def model_card(name: str, parser: Parser) -> ModelCard:
    """Return what clients are told of a model."""
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
        examples=_examples(name, parser),
    )


def _examples(model: str, parser: Parser) -> tuple[ExampleSentence, ...]:
    """Return sentences to try a model with: those that ship, or training rows that it keeps."""
    sentences = example_sentences()
    found = sentences.get(model, sentences.get(parser.domain.name, ()))
    trained_on = parser.model.header.about.get("examples")
    if found or not isinstance(trained_on, list):
        return found
    return tuple(ExampleSentence("training", text) for text in trained_on if isinstance(text, str))


def example_sentences() -> dict[str, tuple[ExampleSentence, ...]]:
    """Return the sentences that ship, by domain, or by a model that knows other words."""
    content = (files("lear.service") / EXAMPLES).read_bytes()
    return msgspec.json.decode(content, type=dict[str, tuple[ExampleSentence, ...]])
