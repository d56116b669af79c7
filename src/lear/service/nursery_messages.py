"""What the service and its nursery say to each other."""

import msgspec

from lear.service.api import ModelCard
from lear.service.models import NamedModel


class LoadModels(msgspec.Struct, frozen=True):
    """The first message to a nursery."""

    models: tuple[NamedModel, ...]
    max_tokens: int
    """What a sentence may have."""
    domain_file: str | None = None
    digests: dict[str, str] | None = None
    """What the files have to be, where they were loaded before."""


class Loaded(msgspec.Struct, frozen=True, tag=True):
    """The first message of a nursery: all models are there."""

    cards: tuple[ModelCard, ...]
    digests: dict[str, str]
    """Of the files that they were loaded from."""


class NotLoaded(msgspec.Struct, frozen=True, tag=True):
    """Or: they are not, for a reason that is one line."""

    reason: str
    is_usage: bool
    """Whether something was asked for that does not exist."""


class Born(msgspec.Struct, frozen=True, tag=True):
    """A worker was made."""

    process: int


class MakeWorker(msgspec.Struct, frozen=True, tag=True):
    """Make a worker; its socket comes along."""

    is_nice: bool


class KillWorker(msgspec.Struct, frozen=True, tag=True):
    """End a worker at once, if it has not ended by itself."""

    process: int


Order = MakeWorker | KillWorker
Report = Loaded | NotLoaded | Born
