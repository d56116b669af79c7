"""Derivations of rollouts, interned: samples that agree on a constituent share its tree.

So a meaning is computed once for each distinct constituent of a batch, not once a sample.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.core.algebra import Meaning, MeaningTable, Operation
from lear.core.derivation import applying, post_order
from lear.grammar.sentence_reading import Candidate
from lear.search.skeleton_derivation import Instruction, Program

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

    @property
    def children(self) -> tuple[int, ...]:
        """The numbers of the trees that it consists of."""
        if self.operation == LEXICAL:
            return ()
        return (self.first,) if self.second == NO_TREE else (self.first, self.second)


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
        numbers: Ints = np.array([self._number(Tree(*key)) for key in distinct], dtype=np.int64)
        every: Ints = numbers[code]
        return every

    def _number(self, tree: Tree) -> int:
        number = self._numbers.get(tree)
        if number is None:
            number = self._numbers[tree] = len(self.trees)
            self.trees.append(tree)
        return number

    def meanings(
        self,
        roots: Iterable[int],
        operations: Sequence[Operation],
        leaf: Callable[[Tree], Meaning],
        table: MeaningTable,
    ) -> dict[int, Meaning]:
        """The meanings of some trees and of all trees in them, each computed once.

        The order of numbers is a post-order of all trees at once, so no stack is needed.
        """
        trees = self.trees

        def operation(number: int) -> Operation:
            return operations[trees[number].operation]

        def apply(number: int, arguments: tuple[Meaning, ...]) -> Meaning | None:
            return table.apply(operations[trees[number].operation], arguments)

        node = applying(apply, operation)
        meanings: dict[int, Meaning] = {}
        for number in self._under(roots):
            tree = trees[number]
            if tree.operation == LEXICAL:
                meanings[number] = leaf(tree)
            else:
                arguments = tuple([meanings[child] for child in tree.children])
                meanings[number] = node(number, arguments)
        return meanings

    def _under(self, roots: Iterable[int]) -> list[int]:
        """The numbers of the trees that some trees consist of, themselves included, in order."""
        numbers = set(roots)
        stack = list(numbers)
        while stack:
            new = [n for n in self.trees[stack.pop()].children if n not in numbers]
            numbers.update(new)
            stack.extend(new)
        return sorted(numbers)

    def program(
        self,
        root: int,
        names: Sequence[str],
        candidate: Callable[[Tree], Candidate],
        num_tokens: int,
        score: float = 0.0,
    ) -> Program:
        """A tree as a program.

        Args:
            root: Its number.
            names: Of the operations.
            candidate: What a leaf stands for.
            num_tokens: Of the sentence; function words at its ends belong to the root.
            score: Of the tree.
        """

        def instruction(number: int) -> Instruction:
            tree = self.trees[number]
            if tree.operation == LEXICAL:
                return Instruction.leaf(candidate(tree))
            return Instruction(names[tree.operation], len(tree.children), tree.begin, tree.end)

        order = post_order(root, lambda number: self.trees[number].children)
        *inside, last = map(instruction, order)
        if last.arity:
            last = last._replace(begin=0, end=num_tokens)
        return Program(score, (*inside, last))
