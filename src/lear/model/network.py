"""A Bi-LSTM over sentences of different lengths.

States of nodes, and the binary Tree-LSTM cell that makes a parent's from its children's.

The network: Composer (3.1) and Interpreter (3.2) as layers, without any search.

Scores of lexical choices with gradients: what `model.lexical_choices` has without.

Scores of rules with gradients, for training: what `model.rule_scores` has without.

A derivation's score is the sum over its rules. Exact training normalises over all legal derivations
of a sentence, so these are potentials and need not be log-probabilities.

What the training loop asks of an objective.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from lear.grammar.rules import Rule, is_symbol, word_of
from lear.model.config import ModelConfig, Vocabulary
from lear.model.lexical_choices import LexicalChoices
from lear.model.rule_scores import NONTERMINAL, OPEN


class SentenceEncoder(nn.Module):
    """Words in context; what a sentence gets does not depend on the others of its batch."""

    def __init__(self, num_words: int, hidden: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(num_words, hidden)
        self.lstm = nn.LSTM(hidden, hidden, batch_first=True, bidirectional=True)

    def forward(self, sentences: Sequence[Sequence[int]]) -> Tensor:
        """Sentences as numbers of words -> states (B, T, 2D); what is beyond an end is zero."""
        lengths = [len(sentence) for sentence in sentences]
        words = torch.zeros((len(sentences), max(lengths)), dtype=torch.long)
        for row, sentence in enumerate(sentences):
            words[row, : lengths[row]] = torch.tensor(sentence)
        packed = pack_padded_sequence(
            self.embedding(words.to(self.embedding.weight.device)),
            torch.tensor(lengths),
            batch_first=True,
            enforce_sorted=False,
        )
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return states


class State(NamedTuple):
    """Output and memory of nodes."""

    h: Tensor  # (B, D)
    c: Tensor  # (B, D)

    def pick(self, indices: Tensor) -> "State":
        """The states at these rows."""
        return State(self.h[indices], self.c[indices])


class StateEmbedding(nn.Module):
    """r = Linear(Emb(x)): the state of a word or a symbol by itself."""

    def __init__(self, count: int, hidden: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(count, hidden)
        self.linear = nn.Linear(hidden, 2 * hidden)

    def forward(self, indices: Tensor) -> State:
        """(B,) -> states."""
        h, c = self.linear(self.embedding(indices)).chunk(2, dim=-1)
        return State(h, c)


class TreeLSTMCell(nn.Module):
    """The parent of two adjacent nodes; word order counts, so the children are not summed."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.gates = nn.Linear(2 * hidden, 5 * hidden)

    def forward(self, left: State, right: State) -> State:
        """States of left and right children -> states of parents."""
        children = torch.cat((left.h, right.h), dim=-1)  # (B, 2D)
        i, f_left, f_right, o, u = self.gates(children).chunk(5, dim=-1)  # 5 x (B, D)
        c = i.sigmoid() * u.tanh() + f_left.sigmoid() * left.c + f_right.sigmoid() * right.c
        return State(o.sigmoid() * c.tanh(), c)


class Composer(nn.Module):
    """States of nodes, how well two nodes merge, and whether a node is a nonterminal."""

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

    def token_states(self, encoded: Tensor, sentences: Tensor, places: Tensor) -> State:
        """Encoded sentences (B, T, 2D), and which tokens of them (n,) -> states."""
        h, c = self.token(encoded[sentences, places]).chunk(2, dim=-1)
        return State(h, c)

    def span_states(self, encoded: Tensor, sentences: Tensor, begin: Tensor, end: Tensor) -> State:
        """Encoded sentences (B, T, 2D), and which spans of them (n,) -> states."""
        ends = torch.cat((encoded[sentences, begin], encoded[sentences, end - 1]), dim=-1)
        h, c = self.span(ends).tanh().chunk(2, dim=-1)
        return State(h, c)


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

    def forward(
        self, sentences: Sequence[Sequence[int]], rows: Tensor, begins: Tensor, ends: Tensor
    ) -> Tensor:
        """Sentences, and spans (S,) in rows (S,) of them -> logits of primitives (S, P)."""
        forward, backward = self.sentences(sentences).chunk(2, dim=-1)  # 2 x (B, T, D)
        spans = torch.cat((forward[rows, ends - 1], backward[rows, begins]), dim=-1)  # (S, 2D)
        logits: Tensor = self.primitive(spans)
        return logits


def initialise_orthogonally(network: nn.Module) -> None:
    """Orthogonal weights, no biases; forget gates begin open."""
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
    """The three parts that the paper trains with three learning rates."""

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
        """This network, and the others that have a say in its scores."""
        return (self, *(other for other in self.others if isinstance(other, Network)))

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.composer.merge.weight.device

    def weights(self) -> dict[str, NDArray[np.floating]]:
        """The weights as they are now, by name, for a `ForwardPass` or a model file."""
        return {name: tensor.cpu().numpy().copy() for name, tensor in self.state_dict().items()}

    def index(self, values: Sequence[int]) -> Tensor:
        """Numbers as a tensor to index with."""
        return torch.tensor(values, dtype=torch.long, device=self.device)

    def part_states(self, parts: Sequence[str]) -> State:
        """States of words and of bracketed symbols."""
        symbols = self.vocabulary.symbol_numbers
        words = self.vocabulary.word_numbers
        symbol_ids = [symbols[part[1:-1]] if is_symbol(part) else 0 for part in parts]
        word_ids = [0 if is_symbol(part) else words.get(word_of(part), 0) for part in parts]
        flags = [is_symbol(part) for part in parts]
        mask = torch.tensor(flags, dtype=torch.bool, device=self.device)[:, None]
        symbol = self.composer.symbols(self.index(symbol_ids))
        word = self.composer.words(self.index(word_ids))
        return State(torch.where(mask, symbol.h, word.h), torch.where(mask, symbol.c, word.c))


def lexical_logits(network: Network, choices: LexicalChoices) -> Tensor:
    """Scores of candidates, (choices, width); minus infinity where there is none."""
    sentences, places = choices.places(network.vocabulary)
    every = network.lexical(sentences, *map(network.index, places))  # (choices, primitives)
    # A word never seen may stand for primitives that no weight belongs to: they score 0.
    every = torch.cat((every, every.new_zeros(len(choices.spans), 1)), dim=1)
    numbers = torch.tensor(choices.primitive_numbers(network.vocabulary), device=network.device)
    mask = torch.tensor(choices.is_candidate(), device=network.device)
    return every.gather(1, numbers).masked_fill(~mask, -torch.inf)


def lexical_log_probs(network: Network, choices: LexicalChoices) -> Tensor:
    """The log-probability of each candidate of each choice, (choices, width)."""
    return lexical_logits(network, choices).log_softmax(dim=-1)


def lexical_potentials(network: Network, choices: LexicalChoices) -> Tensor:
    """The scores of candidates beside those of rules.

    Where a unit may also be a function word, the choice is not among candidates alone, so nothing
    is normalised.
    """
    if network.config.lexical == "units":
        return lexical_logits(network, choices)
    return lexical_log_probs(network, choices)


def rule_scores(network: Network, rules: Sequence[Rule]) -> Tensor:
    """The score of each rule, (R,), computing every distinct prefix of a yield once."""
    if not rules:
        return network.composer.merge.weight.new_zeros(0)
    prefixes: dict[tuple[str, ...], int] = {}
    for rule in rules:
        for size in range(1, len(rule.parts) + 1):
            prefixes.setdefault(rule.parts[:size], len(prefixes))
    by_size: dict[int, list[tuple[str, ...]]] = {}
    for prefix in prefixes:
        by_size.setdefault(len(prefix), []).append(prefix)

    part_names = sorted({part for rule in rules for part in rule.parts})
    part_number = {part: number for number, part in enumerate(part_names)}
    parts = network.part_states(part_names)

    device = network.device
    opened = parts.h.new_zeros(len(prefixes))
    finished = parts.h.new_zeros(len(prefixes))
    operations = parts.h.new_zeros(len(prefixes), len(network.vocabulary.operations))
    previous: dict[tuple[str, ...], int] = {}
    state: State | None = None
    for size in sorted(by_size):
        group = by_size[size]
        last = parts.pick(_index([part_number[prefix[-1]] for prefix in group], device))
        if state is None:
            state = last
        else:
            left = state.pick(_index([previous[prefix[:-1]] for prefix in group], device))
            state = network.composer.cell(left, last)
            rows = _index([prefixes[prefix] for prefix in group], device)
            merge = network.composer.merge(state.h).squeeze(-1)  # (G,)
            classes = network.composer.nonterminal(state.h)  # (G, 2)
            below = opened[_index([prefixes[prefix[:-1]] for prefix in group], device)]
            opened = opened.index_put((rows,), below + merge + classes[:, OPEN])
            finished = finished.index_put((rows,), below + merge + classes[:, NONTERMINAL])
            operations = operations.index_put((rows,), network.algebraic.operation(state.h))
        previous = {prefix: row for row, prefix in enumerate(group)}
    whole = _index([prefixes[rule.parts] for rule in rules], device)
    numbers = network.vocabulary.operation_numbers
    chosen = _index([numbers[rule.operation] for rule in rules], device)
    return finished[whole] + operations[whole, chosen]


def _index(values: Sequence[int], device: torch.device) -> Tensor:
    return torch.tensor(values, dtype=torch.long, device=device)


class StepResult(NamedTuple):
    """What one step did."""

    loss: float
    """To be minimised: negative log-likelihood, or negative reward."""
    num_rows: int
    """Training rows that it stands for."""


class Objective(Protocol):
    """Rows to learn from, and how."""

    def training_items(self, max_tokens: int) -> list[int]:
        """What an epoch goes through, by number: rows or problems of at most `max_tokens` tokens.

        0 is no limit.
        """

    def rules(self) -> tuple[Rule, ...]:
        """Rules that decoders try first, given the weights; empty means all legal rules."""

    def state(self) -> dict[str, Tensor]:
        """What it remembers besides weights, for checkpoints."""

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on from what `state` gave."""

    def begin_lesson(self, entropy: float) -> None:
        """Go by the settings of a lesson: the weight of entropy, if the objective has such."""

    def backward(self, batch: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the gradient of some items to the network's; all randomness comes from `rng`."""
