"""Settings of a baseline, and those that were found to work on each domain; without torch."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Any, Literal

import msgspec

from lear.errors import UsageError
from lear.messages import explain

Count = Annotated[int, msgspec.Meta(ge=1, le=10**6)]
Share = Annotated[float, msgspec.Meta(ge=0, lt=1)]
ANY_DOMAIN = "any"


class BaselineConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings of a baseline; without `seconds`, the same values give the same weights."""

    architecture: Literal["transformer", "lstm"] = "transformer"
    seed: Annotated[int, msgspec.Meta(ge=0, lt=2**32)] = 1
    threads: Annotated[int, msgspec.Meta(ge=1, le=256)] = 1
    steps: Annotated[int, msgspec.Meta(ge=0, le=10**8)] = 1000
    """Training ends after so many updates; 0 means no such limit."""
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e9)] = 0.0
    """Training ends after this time; 0 means no such limit."""
    hidden: Count = 128
    """Width of embeddings and states."""
    feed_forward: Count = 256
    """Width between the two linear layers of a Transformer's layer."""
    layers: Count = 2
    """Layers of the encoder; the Transformer's decoder has as many, that of the LSTM has two."""
    heads: Count = 4
    """Heads of attention; `hidden` must be divisible by twice this number."""
    bidirectional: bool = True
    """If True, the LSTM reads sentences in both directions."""
    dropout: Share = 0.1
    word_dropout: Share = 0.0
    """The share of a sentence's words that training replaces by the unknown word."""
    learning_rate: Annotated[float, msgspec.Meta(gt=0, le=10)] = 0.001
    warmup_steps: Count = 200
    """The rate rises linearly during these steps, and then falls to 0 at the end of the run."""
    tokens_per_batch: Count = 2000
    """Tokens of forms per step, padding included."""
    dev_every: Count = 200
    """Dev is scored every N steps, and at the end; the best state is kept, of equals the last."""
    dev_rows: Count = 300
    """The number of dev rows that are scored: a sample, if there are more."""

    def __post_init__(self) -> None:
        if self.hidden % (2 * self.heads):
            raise ValueError("hidden must be divisible by twice the number of heads")
        if not (self.steps or self.seconds):
            raise ValueError("training needs an end: give steps or seconds")


def load_config(domain: str, flags: Mapping[str, str]) -> BaselineConfig:
    """Return the settings for a domain, with flags on top; seconds alone replace the steps."""
    recipes = tomllib.loads((files("lear.baselines") / "recipes.toml").read_text())
    architecture = flags.get("architecture", BaselineConfig().architecture)
    recipe: dict[str, Any] = recipes.get(domain, recipes[ANY_DOMAIN]).get(architecture, {})
    ends = {"steps": 0} if "seconds" in flags else {}
    try:
        return msgspec.convert({**recipe, **ends, **flags}, BaselineConfig, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"flags: {explain(error, BaselineConfig)}") from None
