"""Settings of the model; each ablation of the paper is one of them."""

from typing import Annotated, Literal

import msgspec


class ModelConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the network looks like."""

    hidden: Annotated[int, msgspec.Meta(ge=1, le=4096)] = 64
    """Width of every state and embedding."""
    symbols: Literal["typed", "latent"] = "typed"
    """What abstracts a phrase: the type of its meaning, or a latent symbol that is learned."""
    nonterminals: Annotated[int, msgspec.Meta(ge=1, le=100)] = 2
    """N of the paper: how many latent symbols there are."""
    abstraction: bool = True
    """Pass only a symbol upwards from a nonterminal node (Eq. 6); the span encoder passes none."""
    encoder: Literal["tree", "contextual", "span"] = "tree"
    """What a node's state is made of: a Tree-LSTM over its own words (semantic locality), a
    Tree-LSTM over a Bi-LSTM (no locality), or the ends of its span in a Bi-LSTM (no Tree-LSTM)."""
    members: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1
    """Networks that learn the same from different beginnings (exact); the mean of their scores
    decides. Where data is small, this makes scores depend less on the seed."""
    lexical: Literal["choices", "units"] = "choices"
    """What exact training scores of units, in their context: choices between primitives of one
    category, which the grammar cannot see, or every unit, also against being a function word."""
    search: Literal["used", "legal"] = "used"
    """Which rules a chart tries: those that derivations of training meanings use, and all legal
    ones only if these give no answer; or all legal ones at once."""
    legality: Literal["types", "attested"] = "types"
    """Which operations are possible: all that types allow, or those of them that derivations of
    training meanings use on arguments of such categories."""

    @property
    def num_classes(self) -> int:
        """How many kinds of nonterminal nodes the Composer tells apart."""
        return self.nonterminals if self.symbols == "latent" else 1
