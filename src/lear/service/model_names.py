"""The names that models are asked by."""

import re
from pathlib import Path

import msgspec

from lear.errors import UsageError
from lear.storage.model_files import shipped_models

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
