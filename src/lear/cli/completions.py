"""What can be completed on a command line, as the argument parsers of the commands tell it."""

import argparse
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from lear.cli.arguments import CommandParser
from lear.cli.dispatch import COMMANDS, module_of, parser_of
from lear.domains.registry import all_domains
from lear.storage.datasets import shipped_models

Paths = Literal["none", "files", "folders"]


@dataclass(frozen=True)
class Values:
    """What may stand somewhere: some words, paths, or both."""

    words: tuple[str, ...] = ()
    paths: Paths = "none"


@dataclass(frozen=True)
class Option:
    """An option of a command."""

    flag: str
    summary: str
    values: Values | None
    """None: it takes no value."""


@dataclass(frozen=True)
class Completions:
    """What a command can be completed with."""

    command: str
    summary: str
    options: tuple[Option, ...]
    places: tuple[Values, ...]
    """Its arguments, one after the other."""
    repeats: bool
    """Whether the last of them may be repeated."""


def all_completions() -> list[Completions]:
    """What each command can be completed with."""
    return [_completions(name) for name in COMMANDS]


def _completions(name: str) -> Completions:
    parser = parser_of(name)
    options, places = [], []
    repeats = False
    for action in parser.declared():
        values = _values(action, name)
        if not action.option_strings:
            places.append(values)
            repeats = action.nargs in ("*", "+")
        else:
            takes_value = action.nargs != 0
            summary = (action.help or "").replace("%(default)s", str(action.default))
            flag = action.option_strings[-1]
            options.append(Option(flag, summary, values if takes_value else None))
    options += _settings(parser)
    return Completions(name, COMMANDS[name], tuple(options), tuple(places), repeats)


def _settings(parser: CommandParser) -> Iterator[Option]:
    """The settings that are options too."""
    known = {option for action in parser.declared() for option in action.option_strings}
    if parser.settings is not None:
        for name, words in _names_of_settings(parser.settings, ""):
            if f"--{name}" not in known:
                yield Option(f"--{name}", "", Values(words))


def _names_of_settings(
    kind: type[msgspec.Struct], section: str
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Dotted names, each with the values that it may have, if these are a few words."""
    for field in msgspec.structs.fields(kind):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            yield from _names_of_settings(field.type, f"{section}{field.name}.")
        else:
            words = _words_of_type(field.type)
            # What has a space in it would have to be quoted, in each shell in its own way.
            yield f"{section}{field.name}", tuple(word for word in words if " " not in word)


def _words_of_type(kind: Any) -> Iterator[str]:
    origin = get_origin(kind)
    if kind is bool:
        yield from ("true", "false")
    elif origin is Literal:
        yield from (str(value) for value in get_args(kind))
    elif origin is Annotated:
        yield from _words_of_type(get_args(kind)[0])
    elif origin in (Union, types.UnionType):
        for part in get_args(kind):
            yield from _words_of_type(part)


def _values(action: argparse.Action, command: str) -> Values:
    """What an argument may be, by what stands for it in the help."""
    placeholder = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if "|" in placeholder:
        return Values(tuple(placeholder.split("|")))
    if placeholder == "FORMAT":
        return Values(getattr(module_of(command), "FORMATS", ()))
    if action.choices is not None:
        return Values(tuple(map(str, action.choices)))
    words = WORDS.get(f"{command} {placeholder}", WORDS.get(placeholder))
    return Values(() if words is None else tuple(words()), PATHS.get(placeholder, "none"))


def _benchmarks() -> list[str]:
    """Names of domains, each followed by those of its benchmarks."""
    return [
        name
        for domain in all_domains().values()
        for name in (domain.name, *(b.name for b in domain.corpus.benchmarks))
    ]


def _executable_domains() -> list[str]:
    return [name for name, domain in all_domains().items() if domain.execution is not None]


def _finishing_steps() -> list[str]:
    steps = (step for domain in all_domains().values() for step in domain.language.finishing)
    return list(dict.fromkeys(steps))


def _recipes() -> list[str]:
    from lear.learning.config import all_recipes

    return all_recipes()


def _tables() -> list[str]:
    from lear.cli.commands.reproduce import ALL
    from lear.reproduce.tables import TABLES

    return [*TABLES, ALL]


WORDS: dict[str, Callable[[], Iterable[str]]] = {
    "DOMAIN": all_domains,
    "DOMAIN/SPLIT": _benchmarks,
    "DOMAIN[/SPLIT]": _benchmarks,
    "MODEL": shipped_models,
    "RECIPE": _recipes,
    "STEP": _finishing_steps,
    "TABLE": _tables,
    "execute DOMAIN": _executable_domains,
}
"""What stands for an argument in the help -> the words that it may be; of one command only, if it
is named before."""
PATHS: dict[str, Paths] = {"FILE": "files", "FOLDER": "folders", "MODEL": "files"}
"""What stands for an argument in the help -> the paths that it may be."""
