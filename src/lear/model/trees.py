"""Derivations of rollouts, interned: samples that agree on a constituent share its tree.

So a meaning is computed once for each distinct constituent of a batch, not once a sample.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.decoding import Instruction, Program
from lear.grammar import Candidate

Ints = NDArray[np.int64]
NO_TREE = -1
LEXICAL = -1
"""In place of an operation, at a leaf."""


class Tree(NamedTuple):
    """A node of a derivation; at a leaf `first` is the sentence and `second` its candidate."""

    operation: int
    first: int
    second: int
    """NO_TREE for the second argument of a unary operation."""
    begin: int
    end: int


class TreeTable:
    """Trees by number; children have smaller numbers than their parents."""

    def __init__(self) -> None:
        self.trees: list[Tree] = []
        self._numbers: dict[Tree, int] = {}

    def numbers(
        self, operations: Ints, firsts: Ints, seconds: Ints, begins: Ints, ends: Ints
    ) -> Ints:
        """The numbers of many trees, (n,) each; only distinct ones are looked up."""
        columns = (operations, firsts, seconds, begins, ends)
        code = np.zeros(len(operations), dtype=np.int64)
        where = np.zeros(0, dtype=np.int64)
        for column in columns:
            # Codes stay below n, so that their product with a column never overflows.
            pairs = code * (int(column.max(initial=0)) + 2) + column
            _, where, code = np.unique(pairs, return_index=True, return_inverse=True)
        distinct = zip(*(column[where].tolist() for column in columns), strict=True)
        numbers = np.array([self._number(Tree(*key)) for key in distinct], dtype=np.int64)
        found: Ints = numbers[code]
        return found

    def _number(self, tree: Tree) -> int:
        number = self._numbers.get(tree)
        if number is None:
            number = self._numbers[tree] = len(self.trees)
            self.trees.append(tree)
        return number

    def under(self, roots: Iterable[int]) -> list[int]:
        """The trees that some trees consist of, children first."""
        found = set(roots)
        stack = list(found)
        while stack:
            tree = self.trees[stack.pop()]
            if tree.operation != LEXICAL:
                new = {tree.first, tree.second} - found - {NO_TREE}
                found |= new
                stack.extend(new)
        return sorted(found)

    def program(
        self,
        root: int,
        names: Sequence[str],
        candidate: Callable[[Tree], Candidate],
        score: float = 0.0,
    ) -> Program:
        """A tree as a program, given the names of operations and what a leaf stands for."""
        reverse: list[Instruction] = []
        stack = [root]
        while stack:
            tree = self.trees[stack.pop()]
            if tree.operation == LEXICAL:
                reverse.append(candidate(tree))
                continue
            children = [tree.first] if tree.second == NO_TREE else [tree.first, tree.second]
            reverse.append((names[tree.operation], len(children), tree.begin, tree.end))
            stack.extend(children)
        return Program(score, tuple(reversed(reverse)))
