"""The layers of a network in torch: Composer (3.1) and Interpreter (3.2), without any search.

`ForwardPass` has the same layers in NumPy, under the same names.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from lear.grammar.rules import Rule
from lear.model.config import ModelConfig, Vocabulary
from lear.model.forward_pass import Ints, Sentences, States


class SentenceEncoder(nn.Module):
    """Words in context; what a sentence gets does not depend on the others of its batch."""

    def __init__(self, num_words: int, hidden: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(num_words, hidden)
        self.lstm = nn.LSTM(hidden, hidden, batch_first=True, bidirectional=True)

    def forward(self, sentences: Sentences) -> Tensor:
        """Return each token in its context, one sentence after the other, (tokens, 2D)."""
        lengths = torch.tensor([len(sentence) for sentence in sentences])
        is_token = torch.arange(int(lengths.max())) < lengths[:, None]
        words = torch.zeros(is_token.shape, dtype=torch.long)
        words[is_token] = torch.tensor([word for sentence in sentences for word in sentence])
        packed = pack_padded_sequence(
            self.embedding(words.to(self.embedding.weight.device)),
            lengths,
            batch_first=True,
            enforce_sorted=False,
        )
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return states[is_token]


class StateEmbedding(nn.Module):
    """r = Linear(Emb(x)): the state of a word or a symbol by itself."""

    def __init__(self, count: int, hidden: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(count, hidden)
        self.linear = nn.Linear(hidden, 2 * hidden)

    def forward(self, numbers: Tensor) -> States:
        """(n,) -> states."""
        return _halves(self.linear(self.embedding(numbers)))


class TreeLSTMCell(nn.Module):
    """The parent of two adjacent nodes; word order counts, so the children are not summed."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.gates = nn.Linear(2 * hidden, 5 * hidden)

    def forward(self, left: States, right: States) -> States:
        """States of left and right children -> states of parents."""
        children = torch.cat((left.h, right.h), dim=-1)  # (n, 2D)
        i, f_left, f_right, o, u = self.gates(children).chunk(5, dim=-1)  # 5 x (n, D)
        c = i.sigmoid() * u.tanh() + f_left.sigmoid() * left.c + f_right.sigmoid() * right.c
        return States(o.sigmoid() * c.tanh(), c)


def _halves(both: Tensor) -> States:
    return States(*both.chunk(2, dim=-1))


class Composer(nn.Module):
    """States of nodes, how well two nodes merge, and which nodes are nonterminals."""

    def __init__(self, config: ModelConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.symbols = StateEmbedding(len(vocabulary.symbols), config.hidden)
        match config.encoder:
            case "tree":
                self.words = StateEmbedding(len(vocabulary.words), config.hidden)
            case "contextual":
                self.sentences = SentenceEncoder(len(vocabulary.words), config.hidden)
                self.token = nn.Linear(2 * config.hidden, 2 * config.hidden)
            case "span":
                self.sentences = SentenceEncoder(len(vocabulary.words), config.hidden)
                self.span = nn.Linear(4 * config.hidden, 2 * config.hidden)
        self.cell = TreeLSTMCell(config.hidden)
        self.merge = nn.Linear(config.hidden, 1)
        self.nonterminal = nn.Linear(config.hidden, 1 + config.num_classes)


class AlgebraicInterpreter(nn.Module):
    """The operation of an algebraic node, from the node's own state (semantic locality)."""

    def __init__(self, config: ModelConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.operation = nn.Linear(config.hidden, len(vocabulary.operations))


class LexicalInterpreter(nn.Module):
    """The primitive of a lexical node, from a Bi-LSTM over the sentence."""

    def __init__(self, config: ModelConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.sentences = SentenceEncoder(len(vocabulary.words), config.hidden)
        self.primitive = nn.Linear(2 * config.hidden, len(vocabulary.primitives))


def initialise_orthogonally(network: nn.Module) -> None:
    """Make weights orthogonal and biases zero; forget gates begin open."""
    for module in network.modules():
        if isinstance(module, nn.Linear):
            nn.init.orthogonal_(module.weight)
            nn.init.zeros_(module.bias)
        elif isinstance(module, nn.LSTM):
            _initialise_lstm(module)
    for module in network.modules():
        if isinstance(module, TreeLSTMCell):  # gates: input, forget left and right, output, update
            for gate in module.gates.bias.data.chunk(5)[1:3]:
                gate.fill_(1.0)


def _initialise_lstm(lstm: nn.LSTM) -> None:
    for name, weight in lstm.named_parameters():
        if name.startswith("weight"):
            for gate in weight.chunk(4):
                nn.init.orthogonal_(gate)
        else:
            nn.init.zeros_(weight)
            if name.startswith("bias_ih"):  # gates: input, forget, cell, output
                weight.data.chunk(4)[1].fill_(1.0)


class Network(nn.Module):
    """The three parts that the paper trains with three learning rates; the layers at work."""

    def __init__(self, config: ModelConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.config = config
        self.vocabulary = vocabulary
        self.composer = Composer(config, vocabulary)
        self.algebraic = AlgebraicInterpreter(config, vocabulary)
        self.lexical = LexicalInterpreter(config, vocabulary)
        if config.initialisation == "orthogonal":
            initialise_orthogonally(self)
        alone = msgspec.structs.replace(config, members=1)
        others = (Network(alone, vocabulary) for _ in range(config.members - 1))
        self.others = nn.ModuleList(others)

    @property
    def members(self) -> "tuple[Network, ...]":
        """This network, and the others of its ensemble."""
        return (self, *(other for other in self.others if isinstance(other, Network)))

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.composer.merge.weight.device

    def weights(self) -> dict[str, NDArray[np.floating]]:
        """Return the present weights by name, for a `ForwardPass` or a model file."""
        return {name: tensor.cpu().numpy().copy() for name, tensor in self.state_dict().items()}

    def index(self, values: Ints | Sequence[int]) -> Tensor:
        """Return numbers as a tensor to index with."""
        return torch.as_tensor(values, dtype=torch.long, device=self.device)

    def symbol_states(self, symbols: Ints) -> States:
        """Return the states of symbols, (n,)."""
        return self.composer.symbols(self.index(symbols))  # type: ignore[no-any-return]

    def word_states(self, words: Ints) -> States:
        """Return the states of words by themselves, (n,)."""
        return self.composer.words(self.index(words))  # type: ignore[no-any-return]

    def encode(self, sentences: Sentences) -> Tensor:
        """Return the tokens of sentences in context, one after the other, (tokens, 2D)."""
        return self.composer.sentences(sentences)  # type: ignore[no-any-return]

    def token_states(self, encoded: Tensor, tokens: Ints) -> States:
        """Return the states of some encoded tokens, (n,): the contextual encoder."""
        return _halves(self.composer.token(encoded[tokens]))

    def span_states(self, encoded: Tensor, begins: Ints, ends: Ints) -> States:
        """Return the states of spans of encoded tokens, (n,): the span encoder."""
        both = torch.cat((encoded[begins], encoded[ends - 1]), dim=-1)
        return _halves(self.composer.span(both).tanh())

    def compose(self, left: States, right: States) -> States:
        """Return the states of parents from those of left and right children: the Tree-LSTM."""
        return self.composer.cell(left, right)  # type: ignore[no-any-return]

    def node_logits(self, h: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of merging (n, 1), of classes and of operations for nodes."""
        return self.composer.merge(h), self.composer.nonterminal(h), self.algebraic.operation(h)

    def primitive_logits(self, sentences: Sentences, begins: Ints, ends: Ints) -> Tensor:
        """Return the logits of primitives, (n, P), for spans (n,) of all tokens in a row."""
        forward, backward = self.lexical.sentences(sentences).chunk(2, dim=-1)  # 2 x (tokens, D)
        spans = torch.cat((forward[ends - 1], backward[begins]), dim=-1)
        return self.lexical.primitive(spans)  # type: ignore[no-any-return]

    def zeros(self, *shape: int) -> Tensor:
        """Return zeros of a shape."""
        return self.composer.merge.weight.new_zeros(shape)

    def join(self, arrays: Sequence[Any]) -> Any:
        """Concatenate tensors, (n, ...), along their nodes."""
        return torch.cat(list(arrays))

    def where(self, mask: NDArray[np.bool_], yes: Any, no: Any) -> Any:
        """Choose between two tensors, or a tensor and a number."""
        return torch.where(torch.as_tensor(mask, device=self.device), yes, no)

    def log_softmax(self, logits: Tensor) -> Tensor:
        """Return log-probabilities along the last axis."""
        return logits.log_softmax(dim=-1)

    def numpy(self, array: Tensor) -> NDArray[np.float64]:
        """Return a tensor as an array, in double precision and without gradients."""
        return array.detach().cpu().double().numpy()


class StepResult(NamedTuple):
    """The outcome of a step of training."""

    loss: float
    """What is minimised: the negative log-likelihood, or the negative reward."""
    num_rows: int
    """The number of training rows that the step stands for."""


class Objective(Protocol):
    """An objective of training, on its rows."""

    def training_items(self, max_tokens: int) -> list[int]:
        """Return the rows or problems of an epoch by number: those of at most so many tokens.

        0 is no limit.
        """

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules that decoders try first, given the weights; none means all legal."""

    def state(self) -> dict[str, Tensor]:
        """Return what it remembers besides weights, for checkpoints."""

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on from what `state` gave."""

    def begin_lesson(self, entropy: float) -> None:
        """Go by the settings of a lesson: the weight of entropy, if the objective has such."""

    def backward(self, batch: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the gradient of some items to the network's; all randomness comes from `rng`."""
