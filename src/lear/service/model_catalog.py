"""The models that a service has: loaded once, and described for those who ask."""

from importlib.resources import files

import msgspec

from lear.errors import DataError
from lear.parser import Parser
from lear.service.api_types import ExampleSentence, ModelCard
from lear.service.model_names import NamedModel
from lear.storage.model_files import shipped_models

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


def load_models(models: tuple[NamedModel, ...]) -> dict[str, Parser]:
    """All parsers by name; raises what `Parser.from_pretrained` does."""
    return {model.name: Parser.from_pretrained(model.source) for model in models}


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
        examples=_examples(name, domain.name, header.about.get("examples")),
    )


def _examples(model: str, domain: str, trained_on: object) -> tuple[ExampleSentence, ...]:
    """Those that ship, or else the training rows that a model keeps."""
    sentences = example_sentences()
    found = sentences.get(model, sentences.get(domain, ()))
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
