"""Settings of a baseline."""

from typing import Annotated, Literal

import msgspec

Count = Annotated[int, msgspec.Meta(ge=1, le=10**6)]


class BaselineConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings of a baseline; the result also depends on the speed of the machine."""

    architecture: Literal["transformer", "lstm"] = "transformer"
    seconds: Count = 600
    """Training time; the model with the best dev score within it is kept."""
    epochs: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Training also ends after this many epochs; 0 means no such limit."""
    seed: Annotated[int, msgspec.Meta(ge=0, lt=2**32)] = 1
    threads: Annotated[int, msgspec.Meta(ge=1, le=256)] = 1
    hidden: Count = 64
    layers: Count = 2
    heads: Count = 4
    """Attention heads of the Transformer; `hidden` must be divisible by twice this number."""
    dropout: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.1
    learning_rate: Annotated[float, msgspec.Meta(gt=0, le=10)] = 0.002
    warmup_steps: Count = 200
    tokens_per_batch: Count = 6000
    """Tokens of forms per step, padding included."""

    def __post_init__(self) -> None:
        if self.architecture == "transformer" and self.hidden % (2 * self.heads):
            raise ValueError("hidden must be divisible by twice the number of heads")
