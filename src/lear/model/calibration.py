"""How a model's scores become probabilities that hold: fitted on rows it was not trained on."""

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

import msgspec

Factor = Annotated[float, msgspec.Meta(gt=0, le=1)]
Trait = Literal["guessed", "overlooked", "unused", "scarce", "novel"]
"""What makes an answer less sure than its derivations say: see `Calibration`."""
TRAITS: tuple[Trait, ...] = get_args(Trait)
TraitCounts = Mapping[Trait, int]
"""How often an answer has each trait."""


class Calibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `lear calibrate` fits. The default changes nothing.

    Each factor is what is left of an answer's probability for each word, or rule, of that kind.
    """

    temperature: Annotated[float, msgspec.Meta(gt=0, le=1000)] = 1.0
    """Scores are divided by it: above 1 the model was too sure, below 1 too unsure."""
    guessed: Factor = 1.0
    """Words never seen, read as known ones."""
    overlooked: Factor = 1.0
    """Words that nothing could be made of."""
    unused: Factor = 1.0
    """Words that mostly mean something, and mean nothing in this answer."""
    scarce: Factor = 1.0
    """Words in a meaning that hardly any training row has."""
    novel: Factor = 1.0
    """Rules that no derivation of a training meaning uses."""
    fitted_on: str = ""
    """Which rows, and how many."""

    def factor(self, traits: TraitCounts) -> float:
        """What is left of an answer's probability."""
        factor = 1.0
        for trait, count in traits.items():
            value: float = getattr(self, trait)
            factor *= value**count
        return factor
