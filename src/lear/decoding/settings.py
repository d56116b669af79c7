"""The settings of a parser, and what it is given: whatever is none is one clear line."""

from collections.abc import Collection, Iterable

from lear.decoding.limits import Limits
from lear.decoding.request import Sentence
from lear.decoding.unknown_words import UNKNOWN_WORDS, UnknownWords
from lear.errors import UsageError
from lear.messages.suggestions import did_you_mean
from lear.model.model_file import Model


def checked_unknown_words(policy: object) -> UnknownWords:
    """What becomes of sentences with unknown words."""
    for known in UNKNOWN_WORDS:
        if policy == known:
            return known
    raise UsageError(f"unknown_words is 'refuse' or 'overlook', not {policy!r}")


def checked_probability(name: str, value: object) -> float:
    """A number from 0 to 1."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
        raise UsageError(f"{name} is from 0 to 1, not {value!r}")
    return float(value)


def checked_steps(steps: object, known: Collection[str], domain: str) -> tuple[str, ...]:
    """The names of finishing steps of a domain."""
    if isinstance(steps, str) or not isinstance(steps, Iterable):
        raise UsageError(f"skip_steps is a list of names, not {steps!r}")
    names = tuple(steps)
    if names and not known:
        raise UsageError(f"domain {domain!r} has no finishing steps")
    for name in names:
        if name not in known:
            raise UsageError(f"unknown finishing step {name!r}{did_you_mean(str(name), known)}")
    return names


def check_parts(model: object, limits: object) -> None:
    """Raise `UsageError` unless these are a model and limits."""
    if not isinstance(model, Model):
        raise UsageError("a parser is made of a model; by name: Parser.from_pretrained('geo')")
    if not isinstance(limits, Limits):
        raise UsageError(f"limits is a lear.Limits, not {limits!r}")


def checked_tokens(tokens: object) -> tuple[str, ...]:
    """The tokens of one sentence."""
    if isinstance(tokens, str):
        raise UsageError("parse takes tokens; a text is parsed by parser(text)")
    if not isinstance(tokens, Iterable):
        raise UsageError(f"parse takes tokens, not {type(tokens).__name__}")
    return tuple(tokens)


def checked_sentences(sentences: object) -> list[Sentence]:
    """Several sentences; each of them is looked at later."""
    if isinstance(sentences, str):
        raise UsageError("parse_batch takes several sentences; one is parsed by parser(text)")
    if not isinstance(sentences, Iterable):
        raise UsageError(f"parse_batch takes several sentences, not {type(sentences).__name__}")
    return list(sentences)
