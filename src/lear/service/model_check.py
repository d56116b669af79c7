"""Models that are loaded to be served: each is tried before anybody asks it."""

from collections.abc import Iterator

from lear.decoding.request import Sentence
from lear.errors import DataError, LearError
from lear.parser import Limits, Parser
from lear.service.mistakes import mistake_of
from lear.service.model_catalog import examples_of
from lear.service.model_names import NamedModel

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
