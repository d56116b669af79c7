"""States of the beginnings of yields, as many as a bound allows.

A state is a long row of numbers: without a bound these would be most of what a parser remembers.
They are needed only while rules are met for the first time, so all are forgotten together when
there are too many, and those that are asked for again are composed again.

Scores of rules: what Composer and Interpreter say of a node, given its abstracted yield.

A yield is composed from left to right. Every node but the last stays open (class 0: no
nonterminal); the last is a nonterminal and has the rule's operation. The score of a rule is the sum
of these logits, as in `network.rule_scores`; the score under an ensemble is the mean of its
members'. A prefix of a yield is composed once for all rules that are scored together, and seldom
again.
"""

import re
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from lear.forest.arrays import GrowingArray, Ints
from lear.forest.scored_grammar import NumberedRules, RuleNumbers
from lear.grammar.rules import Rule, is_symbol, symbol_part
from lear.lexicon.lexicon import OVERLOOKED
from lear.model.forward_pass import Floats, ForwardPass, Linear, States, product

MAX_BYTES = 4_000_000
"""What all rows take together, as far as the prefixes that are asked for at once allow it."""


class PrefixStates:
    """Tables with a row for each prefix whose state is known; row 0 is of the empty prefix.

    Their columns are the memory of a prefix, its odds of the gates as a left child, and the sum of
    the scores of its nodes, all of them open. Each has the numbers of all K members.
    """

    def __init__(self, numbers: RuleNumbers, like: Floats, hidden: int, max_bytes: int) -> None:
        """No states yet.

        Args:
            numbers: Give prefixes their numbers.
            like: An array with a row for each member, of the precision that states have.
            hidden: The width of a state.
            max_bytes: When states take more, they are forgotten.
        """
        self._numbers = numbers
        members, dtype = len(like), like.dtype
        self._c = GrowingArray(dtype, (members, hidden))
        self._odds = GrowingArray(dtype, (5, members, hidden))
        self._opened = GrowingArray(dtype, (members,))
        self._max_rows = max_bytes // ((6 * hidden + 1) * members * dtype.itemsize)
        self._rows = GrowingArray(np.int64)  # of each prefix; 0 where none is known
        # Of each prefix, as far as was asked, what its number stands for.
        self._shorter, self._last = GrowingArray(np.int64), GrowingArray(np.int64)
        self._sizes = GrowingArray(np.int64)
        self._forget()

    @property
    def size(self) -> int:
        """How many states are known."""
        return self._opened.size - 1

    @property
    def c(self) -> Floats:
        """Memories, by row."""
        return self._c.values

    @property
    def odds(self) -> Floats:
        """Odds of the gates, by row."""
        return self._odds.values

    @property
    def opened(self) -> Floats:
        """Sums of scores, by row."""
        return self._opened.values

    def rows(self, prefixes: Ints) -> Ints:
        """The rows of prefixes; 0 for those whose state is not known."""
        rows: Ints = self._rows.values[prefixes]
        return rows

    def missing(self, prefixes: Ints) -> Ints:
        """What must be composed before all these prefixes have a row, in order of their numbers.

        A prefix has a higher number than those that it begins with. May forget what is known.
        """
        self._take_numbers()
        is_needed = np.zeros(self._rows.size, dtype=bool)
        while prefixes.any():
            is_needed[prefixes] = True
            prefixes = self._shorter.values[prefixes]
        is_needed[0] = False
        is_new = is_needed & (self._rows.values == 0)
        if self._opened.size + np.count_nonzero(is_new) > self._max_rows:
            self._forget()
            is_new = is_needed
        return np.flatnonzero(is_new)

    def parts(self, prefixes: Ints) -> tuple[Ints, Ints, Ints]:
        """Of prefixes: those without the last part, this part, and how many parts there are."""
        columns = (self._shorter, self._last, self._sizes)
        shorter, last, sizes = (column.values[prefixes] for column in columns)
        return shorter, last, sizes

    def add(self, prefixes: Ints, c: Floats, odds: Floats, opened: Floats) -> None:
        """Take the states of prefixes."""
        begin = self._opened.size
        for table, values in ((self._c, c), (self._odds, odds)):
            table.reach(begin + len(prefixes))
            table.values[begin : begin + len(prefixes)] = values
        # Last of all, so that nothing is taken for known if this is interrupted.
        self._opened.extend(opened)
        self._rows.values[prefixes] = begin + np.arange(len(prefixes))

    def _take_numbers(self) -> None:
        """Take the prefixes that were numbered since the last time."""
        begin, numbers = self._rows.size, self._numbers
        if begin < len(numbers.last):
            self._shorter.extend(numbers.shorter[begin:])
            self._last.extend(numbers.last[begin:])
            self._sizes.extend(numbers.sizes[begin:])
            self._rows.reach(len(numbers.last))

    def _forget(self) -> None:
        """Begin with the empty prefix alone; the memory of the tables is used again."""
        self._rows.values[:] = 0
        for table in (self._c, self._odds, self._opened):
            table.clear()
            table.reach(1)


OPEN, NONTERMINAL = 0, 1
"""Classes of a node with typed symbols."""
STRANGENESS = 4.0
"""What it costs to take a symbol that training never showed for another one."""
OVERLOOKING = 8.0
"""What it costs to overlook a word that has a meaning; otherwise it is as a word never seen."""
MAX_RULES = 128
"""So many rules are scored together: their numbers then fit into the processor's cache."""
MAX_YIELDS = 1024
"""The beginnings of so many rules are composed together, which bounds how many are kept."""
MAX_GATE = 40.0
"""What a child adds to a gate beyond this is cut off, so that no product of odds is too large for a
number of 32 bits. Gates of trained networks stay far below."""


class RuleScorer:
    """Scores many rules at once, and remembers the prefixes of their yields.

    The rows of its tables have the numbers of all K members.
    """

    def __init__(self, forward: ForwardPass, max_bytes: int = MAX_BYTES) -> None:
        """Scores by the weights of a model; states of prefixes take so much memory at most."""
        self.forward = forward
        self.numbers = RuleNumbers(forward.vocabulary.operations)
        self._known_symbols = {symbol_part(symbol) for symbol in forward.vocabulary.symbols}
        dtype = forward.gates.bias.dtype
        members, hidden = forward.num_members, forward.config.hidden
        vector, gates = (members, hidden), (5, members, hidden)
        # Of each part: what it adds to scores, which is minus infinity for an impossible symbol,
        # and the row of its state, of which impossible ones have none: row 0 is empty.
        self._part_score, self._part_rows = GrowingArray(dtype), GrowingArray(np.int64)
        # Of each row: a state, and its odds of the gates as a right child.
        self._part_h, self._part_c = GrowingArray(dtype, vector), GrowingArray(dtype, vector)
        self._part_odds = GrowingArray(dtype, gates)
        for table in (self._part_h, self._part_c, self._part_odds):
            table.reach(1)
        self._prefixes = PrefixStates(self.numbers, forward.gates.bias, hidden, max_bytes)
        # To work in: memory that is asked for anew each time takes twice as long to fill.
        self._gates, self._odds = (np.empty((MAX_RULES, *gates), dtype) for _ in range(2))

    def is_expressible(self, rule: Rule) -> bool:
        """Whether the model knows every symbol of a rule; a sentence may have one of its own."""
        return all(map(self._is_known, rule.parts))

    def of_members(self, rules: Sequence[Rule]) -> Floats:
        """The score of each rule by each member, (K, R); minus infinity for unknown symbols."""
        return self.by_member(self.numbers.columns(rules)).astype(np.float64)

    def __call__(self, rules: Sequence[Rule]) -> list[float]:
        """The score of each rule: the mean over members."""
        scores: list[float] = self.scores(self.numbers.columns(rules)).tolist()
        return scores

    def scores(self, rules: NumberedRules) -> Floats:
        """The same for rules in numbers."""
        means: Floats = self.by_member(rules).mean(axis=0, dtype=np.float64)
        return means

    def by_member(self, rules: NumberedRules) -> Floats:
        """The score of each rule by each member, (K, R)."""
        self._add_parts()
        # In the precision of the weights: derivations of the same rules then have equal sums.
        shape = (self.forward.num_members, len(rules.last))
        scores = np.zeros(shape, dtype=self.forward.gates.bias.dtype)
        for begin in range(0, len(rules.last), MAX_YIELDS):
            place = slice(begin, begin + MAX_YIELDS)
            self._score(rules.where(place), scores[:, place])
        scores[:, rules.prefix == 0] = 0.0  # a node of one part has neither merge nor class
        scores += self._part_score.values[rules.last]
        return scores

    def _is_known(self, part: str) -> bool:
        """Whether the model has a state for a part: words never seen have the unknown one's."""
        return part in self._known_symbols or not is_symbol(part)

    def _nearest(self, part: str) -> str | None:
        """The part whose state a part has; None for a symbol that is impossible.

        Where settings say so, a symbol that training never showed is taken for the known one that
        it shares most words with, the first of all: "not river" for "not city".
        """
        if self._is_known(part):
            return part
        if self.forward.config.strange_symbols is None:
            return None
        first, words = _words_of_symbol(part)
        known = self._words_of_known.get(first) or self._words_of_known.get(None, {})
        return max(
            known,
            key=lambda other: len(words & known[other]) / len(words | known[other]),
            default=None,
        )

    @cached_property
    def _words_of_known(self) -> dict[str | None, dict[str, set[str]]]:
        """First word -> the known symbols that begin with it, with all their words; None -> all."""
        by_first: dict[str | None, dict[str, set[str]]] = {}
        for symbol in sorted(self._known_symbols):
            first, words = _words_of_symbol(symbol)
            for key in (first, None):
                by_first.setdefault(key, {})[symbol] = words
        return by_first

    @cached_property
    def _finished(self) -> Linear:
        """The score of a yield's last node with each operation."""
        return _sum(self._merged_as(NONTERMINAL), self.forward.operation)

    @cached_property
    def _left_open(self) -> Linear:
        """The score of a yield's other nodes."""
        return self._merged_as(OPEN)

    def _merged_as(self, node_class: int) -> Linear:
        weight, bias = self.forward.nonterminal
        chosen = slice(node_class, node_class + 1)
        return _sum(self.forward.merge, Linear(weight[:, :, chosen], bias[:, :, chosen]))

    def _score(self, rules: NumberedRules, scores: Floats) -> None:
        """Write the scores of all nodes over two parts or more, (K, R)."""
        self._add_prefixes(rules.prefix)
        rows, last = self._prefixes.rows(rules.prefix), self._part_rows.values[rules.last]
        for begin in range(0, len(rows), MAX_RULES):
            place = slice(begin, begin + MAX_RULES)
            logits = self._finished(_by_members(self._states(rows[place], last[place]).h))
            operation = rules.operation[place]
            scores[:, place] = logits[:, np.arange(len(operation)), operation]
        scores += self._prefixes.opened[rows].T

    def _states(self, prefix: Ints, last: Ints) -> States:
        """States of nodes over a prefix and a last part, both given by their rows, (n, K, D).

        This is the Tree-LSTM, as `gated` has it. What two children add to a gate is a sum, so the
        odds of the gate are a product, and the exponentials of each child serve all nodes that it
        is in. At most `MAX_RULES` nodes; their `h` stays until the next ones are asked for.
        """
        gates, odds = self._gates[: len(prefix)], self._odds[: len(prefix)]
        # All rows are there: with another mode NumPy would copy the whole result once more.
        np.take(self._prefixes.odds, prefix, axis=0, out=gates, mode="clip")
        np.take(self._part_odds.values, last, axis=0, out=odds, mode="clip")
        gates *= odds
        gates += 1
        np.reciprocal(gates, out=gates)
        i, f_left, f_right, o, cell = (gates[:, n] for n in range(5))
        c = 2 * cell
        c -= 1  # tanh(x) = 2 sigmoid(2 x) - 1
        c *= i
        f_left *= self._prefixes.c[prefix]
        c += f_left
        f_right *= self._part_c.values[last]
        c += f_right
        o *= np.tanh(c)
        return States(o, c)

    def _add_parts(self) -> None:
        """Find the states of parts that were numbered since the last time."""
        begin, end = self._part_score.size, len(self.numbers.parts)
        if begin == end:
            return
        self._part_score.reach(end)
        self._part_rows.reach(end)
        self._part_score.values[begin:] = -np.inf
        new = range(begin, end)
        nearest = {n: self._nearest(self.numbers.parts[n]) for n in new}
        known = [n for n in new if nearest[n] is not None]
        states = self.forward.part_states([part for part in nearest.values() if part is not None])
        weight = self.forward.gates.weight[:, self.forward.config.hidden :]
        parts = self.numbers.parts
        self._part_score.values[known] = [
            -STRANGENESS * (nearest[n] != parts[n]) - OVERLOOKING * (parts[n] == OVERLOOKED)
            for n in known
        ]
        self._part_rows.values[known] = self._part_h.size + np.arange(len(known))
        self._part_h.extend(_by_rows(states.h))
        self._part_c.extend(_by_rows(states.c))
        self._part_odds.extend(_odds(product(states.h, weight)))

    def _add_prefixes(self, prefixes: Ints) -> None:
        """Compose the prefixes whose states are not known, shorter ones first."""
        new = self._prefixes.missing(prefixes)
        if not len(new):
            return
        shorter, last, sizes = self._prefixes.parts(new)
        weight, bias = self.forward.gates
        by_size = (np.nonzero(sizes == size)[0] for size in range(1, int(sizes.max()) + 1))
        for chosen in (c[n : n + MAX_RULES] for c in by_size for n in range(0, len(c), MAX_RULES)):
            before = self._prefixes.rows(shorter[chosen])
            part = self._part_rows.values[last[chosen]]
            opened = self._prefixes.opened[before] + self._part_score.values[last[chosen]][:, None]
            if sizes[chosen[0]] == 1:
                states = States(self._part_h.values[part], self._part_c.values[part])
            else:
                states = self._states(before, part)
                opened += _by_rows(self._left_open(_by_members(states.h)))[:, :, 0]
            added = product(_by_members(states.h), weight[:, : self.forward.config.hidden]) + bias
            self._prefixes.add(new[chosen], states.c, _odds(added), opened)


def _words_of_symbol(part: str) -> tuple[str, set[str]]:
    """The first word of a symbol, and all of them."""
    words = re.split(r"[\s,|&]+", part[1:-1])
    return words[0], set(words)


def _by_members(rows: Floats) -> Floats:
    """(n, K, width) -> (K, n, width)."""
    return rows.transpose(1, 0, 2)


_by_rows = _by_members
"""And back."""


def _odds(added: Floats) -> Floats:
    """What children add to gates, (K, n, 5 D) -> odds against these, (n, 5, K, D)."""
    members, count, width = added.shape
    gates = added.reshape(members, count, 5, width // 5).transpose(1, 2, 0, 3).copy()
    gates[:, 4] *= 2  # its function is tanh, not sigmoid
    np.clip(gates, -MAX_GATE, MAX_GATE, out=gates)
    np.negative(gates, out=gates)
    return np.exp(gates, out=gates)


def _sum(first: Linear, second: Linear) -> Linear:
    """The layer whose outputs are the sums of two layers' outputs."""
    return Linear(first.weight + second.weight, first.bias + second.bias)
