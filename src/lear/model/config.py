"""Settings of the network and of how it is trained; each ablation of the paper is one of them."""

from typing import Annotated, Literal

import msgspec

Count = Annotated[int, msgspec.Meta(ge=1, le=10**9)]
CountOrNone = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
Amount = Annotated[float, msgspec.Meta(ge=0, le=1e30)]


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
    """Ensemble size (exact): networks with different initial weights; scores are averaged. Where
    data is small, the seed then matters less."""
    lexical: Literal["choices", "units"] = "choices"
    """What exact training scores of units, in their context: choices between primitives of one
    category, which the grammar cannot see, or every unit, also against being a function word."""
    search: Literal["used", "legal"] = "used"
    """Which rules a chart tries: those that derivations of training meanings use, and all legal
    ones only if these give no answer; or all legal ones at once."""
    strange_symbols: Literal["nearest"] | None = None
    """What a chart makes of a typed symbol that training never showed: nothing can have it (None),
    or it is taken for the known one that it shares most words with, at a cost."""
    legality: Literal["types", "attested", "any"] = "types"
    """Which operations are possible: all that types allow, or those of them that derivations of
    training meanings use on such symbols, or, in a total algebra, also ill-typed ones."""
    algebra: Literal["strict", "total", "heads", "classless"] = "strict"
    """The domain's own algebra, whose operations may refuse, or its total one, in which any two
    constituents combine and the result is converted at the end (reinforce). Two others are there
    to be compared with: on COGS a total one without associative chains, `heads`, on CFQ one whose
    leaves show no word classes, `classless`."""
    merging: Literal["limited", "free"] = "limited"
    """Which neighbours may merge (reinforce): as the limits on function words and the operations
    allow, or any two; then two constituents in one node are combined at once."""
    leaf_symbols: Literal["free", "typed"] = "free"
    """What decides a leaf's latent symbol: the Composer, or the type of its primitive."""
    units: Literal["composed", "found"] = "composed"
    """Units of several words: built by merging their words, or found first, as one leaf each."""
    nothing: Literal["composer", "interpreter"] = "composer"
    """Who decides that a word with a primitive stands for nothing: the Composer from the word
    alone, or the lexical Interpreter from the sentence."""
    initialisation: Literal["torch", "orthogonal"] = "torch"
    """Initial weights: torch's own, or orthogonal ones with forget gates that begin open."""

    @property
    def num_classes(self) -> int:
        """How many kinds of nonterminal nodes the Composer tells apart."""
        return self.nonterminals if self.symbols == "latent" else 1


Contrast = Literal["legal", "attested"]


class OptimConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the weights are found."""

    objective: Literal["exact", "reinforce"] = "exact"
    """Marginal likelihood over all derivations of gold, or the paper's policy gradient."""
    optimizer: Literal["adam", "adadelta"] = "adam"
    learning_rate: Amount = 0.005
    """Of the lexical Interpreter; the others are ratios of it."""
    composer_ratio: Amount = 1.0
    algebraic_ratio: Amount = 1.0
    batch_size: Count = 256
    """Problems (exact) or sentences (reinforce) a step."""
    weight_decay: Amount = 0.0
    max_gradient: Amount = 0.0
    """Clip gradients at this infinity norm; 0 does not."""
    contrast: Contrast = "legal"
    """What derivations of gold must win against (exact): all legal derivations, or those by rules
    that derivations of training meanings use."""
    max_problems: CountOrNone = 0
    """Learn from a sample of at most so many skeletons (exact); 0 is all rows."""
    word_dropout: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    """How many of its words a sentence is shown without, where lexical choices are learned
    (exact)."""
    samples: Count = 10
    """K: derivations drawn for each sentence (reinforce)."""
    alpha: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    """Weight of the logic-based reward against the primitive-based one (reinforce)."""
    reward: Literal["components", "longest run"] = "components"
    """What is rewarded (reinforce): the agreement of components, as the paper says, or the longest
    run of words that the forms share, as its published code has it on COGS and GEO."""
    entropy: Amount = 0.1
    """Weight of the entropy of the policy (reinforce)."""
    entropy_of: Literal["sum", "mean"] = "sum"
    """Of which entropy: the sum over the decisions of a derivation, or the mean over them of the
    entropy as a share of the greatest that the decision could have."""
    averaging: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    """Decay of a moving average of the weights, which is evaluated and saved in their place; 0
    takes the weights themselves."""
    replay: Amount = 0.0
    """Weight of the best derivation found so far for each row (reinforce); 0 is the paper's."""
