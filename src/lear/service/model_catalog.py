"""What is told of the models that a service has: their cards, and digests of their files."""

from importlib.resources import files
from pathlib import Path

import msgspec

from lear.errors import DataError, UsageError
from lear.parser import Parser
from lear.service.api_types import ExampleSentence, ModelCard
from lear.service.model_names import NamedModel
from lear.storage.data_file import sha256_of
from lear.storage.model_files import find_model, shipped_models

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
