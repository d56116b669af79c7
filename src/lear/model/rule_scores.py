"""Scores of rules: what Composer and Interpreter say of a node, given its abstracted yield.

A yield is composed from left to right. Every node but the last stays open (class 0: no
nonterminal); the last is a nonterminal and has the rule's operation. The score of a rule is the sum
of these logits, as in `network.rule_scores`; the score under an ensemble is the mean of its
members'. Every prefix of a yield is composed once.
"""

from collections.abc import Sequence

import numpy as np

from lear.grammar.rules import Rule, is_symbol
from lear.model.forward_pass import Floats, ForwardPass, States, gated, product

OPEN, NONTERMINAL = 0, 1
"""Classes of a node with typed symbols."""
Parts = tuple[str, ...]
MAX_PREFIXES = 2_000
"""How many prefixes of yields are remembered between calls."""


class RuleScorer:
    """Scores many rules at once, and remembers the prefixes of their yields."""

    def __init__(self, forward: ForwardPass) -> None:
        self.forward = forward
        self._known_parts = {f"[{symbol}]" for symbol in forward.vocabulary.symbols}
        self._parts: dict[str, int] = {}
        hidden, members = forward.config.hidden, forward.num_members
        dtype = forward.gates.bias.dtype
        # Of each part: its state, and what it adds to the gates as a right child.
        self._part_h, self._part_c, self._part_gates = (
            _Rows(members, width, dtype) for width in (hidden, hidden, 5 * hidden)
        )
        self._forget_prefixes()

    def _forget_prefixes(self) -> None:
        """Begin anew with prefixes: there is no end of them, and each takes kilobytes."""
        hidden, members = self.forward.config.hidden, self.forward.num_members
        dtype = self.forward.gates.bias.dtype
        self._prefixes: dict[Parts, int] = {}
        # Of each prefix: its memory, what it adds to the gates as a left child, and the sum of the
        # scores of its nodes, all of them open.
        self._prefix_c, self._prefix_gates, self._opened = (
            _Rows(members, width, dtype) for width in (hidden, 5 * hidden, 1)
        )

    def is_expressible(self, rule: Rule) -> bool:
        """Whether the model knows every symbol of a rule; a sentence may have one of its own."""
        if self._known_parts.issuperset(rule.parts):
            return True
        words = (part for part in rule.parts if not is_symbol(part))
        self._known_parts.update(words)  # those that are not known are read as the unknown word
        return self._known_parts.issuperset(rule.parts)

    def of_members(self, rules: Sequence[Rule]) -> Floats:
        """The score of each rule by each member, (K, R); minus infinity for unknown symbols."""
        members = self.forward.num_members
        scores = np.full((members, len(rules)), -np.inf)
        places = [n for n, rule in enumerate(rules) if self.is_expressible(rule)]
        # A node of one part has neither merge nor class: it scores nothing.
        whole = [n for n in places if len(rules[n].parts) > 1]
        scores[:, [n for n in places if len(rules[n].parts) == 1]] = 0.0
        if len(self._prefixes) > MAX_PREFIXES:
            self._forget_prefixes()
        if whole:
            yields = dict.fromkeys(rules[n].parts for n in whole)
            states, merged = self._nodes(list(yields))
            finished = merged + self.forward.nonterminal(states.h)[:, :, NONTERMINAL]
            operations = self.forward.operation(states.h)  # (K, yields, operations)
            row = {parts: number for number, parts in enumerate(yields)}
            rows = [row[rules[n].parts] for n in whole]
            numbers = self.forward.vocabulary.operation_numbers
            chosen = [numbers[rules[n].operation] for n in whole]
            scores[:, whole] = finished[:, rows] + operations[:, rows, chosen]
        return scores

    def __call__(self, rules: Sequence[Rule]) -> list[float]:
        """The score of each rule: the mean over members."""
        scores: list[float] = self.of_members(rules).mean(axis=0).tolist()
        return scores

    def _nodes(self, yields: Sequence[Parts]) -> tuple[States, Floats]:
        """States of nodes over two parts or more, and the scores up to their last merge, (K, n)."""
        prefixes = self._prefix_numbers([parts[:-1] for parts in yields])
        last = self._part_numbers([parts[-1] for parts in yields])
        gates = self._prefix_gates.rows(prefixes) + self._part_gates.rows(last)
        states = gated(gates, self._prefix_c.rows(prefixes), self._part_c.rows(last))
        opened = self._opened.rows(prefixes) + self.forward.merge(states.h)
        return states, opened[:, :, 0]

    def _prefix_numbers(self, prefixes: Sequence[Parts]) -> list[int]:
        """The numbers of prefixes; new ones are composed, all of them at once."""
        new = list(dict.fromkeys(parts for parts in prefixes if parts not in self._prefixes))
        single = [parts for parts in new if len(parts) == 1]
        if single:
            numbers = self._part_numbers([part for (part,) in single])
            states = States(self._part_h.rows(numbers), self._part_c.rows(numbers))
            self._add_prefixes(single, states, np.zeros_like(states.h[:, :, :1]))
        longer = [parts for parts in new if len(parts) > 1]
        if longer:
            states, merged = self._nodes(longer)
            stays_open = self.forward.nonterminal(states.h)[:, :, OPEN]
            self._add_prefixes(longer, states, (merged + stays_open)[:, :, None])
        return [self._prefixes[parts] for parts in prefixes]

    def _add_prefixes(self, prefixes: Sequence[Parts], states: States, opened: Floats) -> None:
        gates = self.forward.gates
        weight = gates.weight[:, : states.h.shape[2]]
        self._prefix_gates.append(product(states.h, weight) + gates.bias)
        self._prefix_c.append(states.c)
        self._opened.append(opened)
        for parts in prefixes:
            self._prefixes[parts] = len(self._prefixes)

    def _part_numbers(self, parts: Sequence[str]) -> list[int]:
        """The numbers of parts; new ones get their states."""
        new = list(dict.fromkeys(part for part in parts if part not in self._parts))
        if new:
            states = self.forward.part_states(new)
            hidden = states.h.shape[2]
            self._part_h.append(states.h)
            self._part_c.append(states.c)
            self._part_gates.append(product(states.h, self.forward.gates.weight[:, hidden:]))
            self._parts |= {part: len(self._parts) + n for n, part in enumerate(new)}
        return [self._parts[part] for part in parts]


class _Rows:
    """A table of rows for each member that grows at its end, in amortised constant time."""

    def __init__(self, members: int, width: int, dtype: np.dtype[np.floating]) -> None:
        self._table = np.zeros((members, 64, width), dtype=dtype)
        self._size = 0

    def append(self, rows: Floats) -> None:
        """Add rows, (K, n, width)."""
        end = self._size + rows.shape[1]
        while end > self._table.shape[1]:
            self._table = np.concatenate((self._table, np.zeros_like(self._table)), axis=1)
        self._table[:, self._size : end] = rows
        self._size = end

    def rows(self, numbers: Sequence[int]) -> Floats:
        """Some rows, (K, n, width)."""
        chosen: Floats = self._table[:, numbers]
        return chosen
