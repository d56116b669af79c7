"""Settings of the network and of its training, its vocabulary, and the calibration of its scores.

Each ablation of the paper is a setting.
"""

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal, get_args

import msgspec

from lear.algebra.algebra import Primitive
from lear.grammar.reading import SentenceReader
from lear.lexicon.lexicon import NOTHING, UNKNOWN

Count = Annotated[int, msgspec.Meta(ge=1, le=10**9)]
CountOrNone = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
Amount = Annotated[float, msgspec.Meta(ge=0, le=1e30)]


class ModelConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the network and of the policy."""

    hidden: Annotated[int, msgspec.Meta(ge=1, le=4096)] = 64
    """The width of every state and embedding."""
    symbols: Literal["typed", "latent"] = "typed"
    """What abstracts a phrase: the type of its meaning, or a latent symbol that is learned."""
    nonterminals: Annotated[int, msgspec.Meta(ge=1, le=100)] = 2
    """The number of latent symbols, N in the paper."""
    abstraction: bool = True
    """Pass only a symbol upwards from a nonterminal node (Eq. 6); the span encoder passes none."""
    encoder: Literal["tree", "contextual", "span"] = "tree"
    """What a node's state is made of: a Tree-LSTM over its own words (semantic locality), a
    Tree-LSTM over a Bi-LSTM (no locality), or the ends of its span in a Bi-LSTM (no Tree-LSTM)."""
    members: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1
    """The size of the ensemble (exact). Its networks begin with different weights and their scores
    are averaged, so the seed matters less where data is small."""
    lexical: Literal["choices", "units"] = "choices"
    """What exact training scores in context: choices between primitives of one category, which
    the grammar cannot see, or every unit, also against being a function word."""
    search: Literal["used", "legal"] = "used"
    """Which rules a chart tries. `used`: those that derivations of training meanings use, and all
    legal ones only if these give no answer. `legal`: all legal ones at once."""
    strange_symbols: Literal["nearest"] | None = None
    """What a chart does with a typed symbol that training never showed. None: no rule has it.
    `nearest`: it stands, at a cost, for the known symbol that shares most words with it."""
    legality: Literal["types", "attested", "any"] = "types"
    """Which operations are possible: all that types allow; those of them that derivations of
    training meanings use on such symbols; or, in a total algebra, also ill-typed ones."""
    algebra: Literal["strict", "total", "heads", "classless"] = "strict"
    """The domain's own algebra, whose operations may refuse, or its total one, in which any two
    constituents combine and the result is converted at the end (reinforce). Two total ones serve
    comparison: `heads` on COGS has no associative chains, and the leaves of `classless` on CFQ
    show no word classes."""
    merging: Literal["limited", "free"] = "limited"
    """Which neighbours may merge (reinforce): those that the limits on function words and the
    operations allow, or any two; then two constituents in one node are combined at once."""
    leaf_symbols: Literal["free", "typed"] = "free"
    """What decides a leaf's latent symbol: the Composer, or the type of its primitive."""
    units: Literal["composed", "found"] = "composed"
    """Units of several words are built by merging their words, or found first as leaves."""
    nothing: Literal["composer", "interpreter"] = "composer"
    """Who decides that a word with a primitive stands for nothing: the Composer from the word
    alone, or the lexical Interpreter from the sentence."""
    initialisation: Literal["torch", "orthogonal"] = "torch"
    """Initial weights: torch's own, or orthogonal ones with forget gates that begin open."""

    @property
    def num_classes(self) -> int:
        """The number of kinds of nonterminal nodes that the Composer tells apart."""
        return self.nonterminals if self.symbols == "latent" else 1


Contrast = Literal["legal", "attested"]


class OptimConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of training."""

    objective: Literal["exact", "reinforce"] = "exact"
    """Marginal likelihood over all derivations of gold, or the paper's policy gradient."""
    optimizer: Literal["adam", "adadelta"] = "adam"
    learning_rate: Amount = 0.005
    """The rate of the lexical Interpreter; those of other parts are ratios of it."""
    composer_ratio: Amount = 1.0
    algebraic_ratio: Amount = 1.0
    batch_size: Count = 256
    """The number of problems (exact) or sentences (reinforce) in a step."""
    weight_decay: Amount = 0.0
    max_gradient: Amount = 0.0
    """Clip gradients at this infinity norm; 0 does not."""
    contrast: Contrast = "legal"
    """What derivations of gold must win against (exact): all legal derivations, or those by rules
    that derivations of training meanings use."""
    max_problems: CountOrNone = 0
    """Learn from a sample of at most so many skeletons (exact); 0 is all rows."""
    word_dropout: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    """The share of words that are hidden from the network while it learns lexical choices
    (exact)."""
    samples: Count = 10
    """The number of derivations that are drawn for each sentence, K in the paper (reinforce)."""
    alpha: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    """The weight of the logic-based reward against the primitive-based one (reinforce)."""
    reward: Literal["components", "longest run"] = "components"
    """What is rewarded (reinforce): the agreement of components, as the paper says, or the longest
    run of words that the forms share, as its published code has it on COGS and GEO."""
    entropy: Amount = 0.1
    """The weight of the policy's entropy (reinforce)."""
    entropy_of: Literal["sum", "mean"] = "sum"
    """The entropy of a derivation: the sum over its decisions, or the mean over them of the share
    that each has of the greatest entropy that it could have."""
    averaging: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    """The decay of a moving average of the weights, which is evaluated and saved in their place;
    0 takes the weights themselves."""
    replay: Amount = 0.0
    """The weight of the best derivation found so far for each row (reinforce); the paper's is 0."""


OTHER = "<other>"
"""The symbol for typed symbols that no training derivation has."""


class Vocabulary(msgspec.Struct, frozen=True, dict=True):
    """The names that a network indexes by, in the order of their numbers; they never change."""

    words: tuple[str, ...]
    symbols: tuple[str, ...]
    operations: tuple[str, ...]
    primitives: tuple[Primitive, ...]

    @classmethod
    def of(cls, reader: SentenceReader, symbols: tuple[str, ...]) -> "Vocabulary":
        """Take the words and primitives of a reader's lexicon and the operations of its algebra."""
        alike = reader.domain.words.alike
        primitives = {NOTHING} if reader.may_be_nothing else set[Primitive]()
        words = set(reader.lexicon.function_words)
        for unit, entries in reader.lexicon.units.items():
            candidates = [entry.primitive for entry in entries]
            primitives.update(map(alike, candidates))
            words.update(reader.view(unit, candidates))
        return cls(
            (UNKNOWN, *sorted(words - {UNKNOWN})),
            symbols,
            tuple(reader.domain.language.algebra.by_name),
            tuple(sorted(primitives)),
        )

    @cached_property
    def word_numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def symbol_numbers(self) -> dict[str, int]:
        """The number of each symbol."""
        return {symbol: number for number, symbol in enumerate(self.symbols)}

    @cached_property
    def operation_numbers(self) -> dict[str, int]:
        """The number of each operation."""
        return {name: number for number, name in enumerate(self.operations)}

    @cached_property
    def primitive_numbers(self) -> dict[Primitive, int]:
        """The number of each primitive."""
        return {primitive: number for number, primitive in enumerate(self.primitives)}


Factor = Annotated[float, msgspec.Meta(gt=0, le=1)]
Trait = Literal["guessed", "overlooked", "unused", "scarce", "novel"]
"""A trait makes an answer less sure than its derivations say: see `Calibration`."""
TRAITS: tuple[Trait, ...] = get_args(Trait)
TraitCounts = Mapping[Trait, int]
"""How often an answer has each trait."""


class Calibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How scores become probabilities, fitted on rows that a model was not trained on.

    Each word or rule of a kind multiplies an answer's probability by the factor of that kind. The
    default changes nothing.
    """

    temperature: Annotated[float, msgspec.Meta(gt=0, le=1000)] = 1.0
    """Scores are divided by it. Above 1 the model was too sure, below 1 too unsure."""
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
    """The rows that it was fitted on, and their number."""

    def factor(self, traits: TraitCounts) -> float:
        """The factor of an answer with these traits."""
        factors = (getattr(self, trait) ** count for trait, count in traits.items())
        return math.prod(factors, start=1.0)
