"""Best derivations of a chart of categories, as programs that any sentence of its skeleton can run.

A program is a derivation in post-order: leaves push a meaning, operations pop their arguments and
push their result.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from lear.algebra import Meaning, MeaningTable
from lear.chart import Chart, Edge, Item
from lear.derivation import Derivation, Leaf, Node
from lear.domain import Domain
from lear.grammar import Candidate, CategoryLeaf, Grammar, Reading

Instruction = Candidate | tuple[str, int, int, int]
"""A leaf with its primitive, or (operation, arity, begin, end)."""
LeafScores = Callable[[CategoryLeaf], Sequence[float]]
"""The scores of the primitives behind a leaf, in their order."""


@dataclass(frozen=True, slots=True)
class Program:
    """A derivation without its words, and its score."""

    score: float
    instructions: tuple[Instruction, ...]

    def derivation(self, reading: Reading) -> Derivation:
        """The derivation of a sentence with this skeleton."""
        stack: list[Derivation] = []
        for instruction in self.instructions:
            if isinstance(instruction, Candidate):
                begin, end, _ = instruction.leaf
                stack.append(Leaf(begin, end, reading.primitive(instruction)))
            else:
                operation, arity, begin, end = instruction
                children = tuple(stack[-arity:])
                stack[-arity:] = [Node(begin, end, operation, children)]
        return stack.pop()


def run_program(program: Program, reading: Reading, domain: Domain) -> Meaning:
    """The meaning of a program's derivation, without building the derivation.

    Nothing is compared on the way, so the meanings of nodes are not interned.
    """
    table = MeaningTable(domain.algebra)
    operations = domain.algebra.by_name
    stack: list[Meaning] = []
    for instruction in program.instructions:
        if isinstance(instruction, Candidate):
            leaf, rank = instruction
            stack.append(domain.ground(reading.candidates[leaf][rank], leaf.begin, table))
            continue
        arity = instruction[1]
        meaning = operations[instruction[0]].function(*stack[-arity:])
        assert meaning is not None  # categories promise that the step is legal
        stack[-arity:] = [meaning]
    return stack[0]


_Ranked = tuple[float, Edge[int], tuple[int, ...]]
"""Score, edge, and which of each child's ranked ways it uses; of a leaf, which primitive."""


def best_programs(
    grammar: Grammar,
    chart: Chart[int],
    scores: Sequence[float],
    leaf_scores: LeafScores,
    count: int,
) -> list[Program]:
    """The `count` best complete derivations of a chart, best first, by the sum of rule scores."""
    ranked: dict[Item[int], list[_Ranked]] = {}
    for length in range(1, chart.num_tokens + 1):
        for begin, end in chart.spans(length):
            for item in chart.cell(begin, end):
                ranked[item] = _rank(item, ranked, scores, leaf_scores, count)
    roots = [
        (ranked[item][rank][0], item, rank)
        for item in grammar.complete_items(chart)
        for rank in range(len(ranked[item]))
    ]
    best = heapq.nlargest(count, roots, key=lambda root: root[0])
    return [
        Program(score, _instructions(grammar, item, rank, ranked)) for score, item, rank in best
    ]


def _rank(
    item: Item[int],
    ranked: dict[Item[int], list[_Ranked]],
    scores: Sequence[float],
    leaf_scores: LeafScores,
    count: int,
) -> list[_Ranked]:
    ways: list[_Ranked] = []
    for edge in item.edges:
        if not edge.children:
            leaf = CategoryLeaf(item.begin, item.end, item.value)
            ways += ((score, edge, (rank,)) for rank, score in enumerate(leaf_scores(leaf)))
            continue
        base = scores[edge.label]
        if count == 1:
            ways.append((base + sum([ranked[c][0][0] for c in edge.children]), edge, (0, 0)))
        else:
            for ranks in product(*(range(len(ranked[child])) for child in edge.children)):
                total = base + sum(
                    ranked[c][r][0] for c, r in zip(edge.children, ranks, strict=True)
                )
                ways.append((total, edge, ranks))
    if len(ways) == 1:
        return ways
    if count == 1:
        return [max(ways, key=lambda way: way[0])]
    return heapq.nlargest(count, ways, key=lambda way: way[0])


def _instructions(
    grammar: Grammar, root: Item[int], rank: int, ranked: dict[Item[int], list[_Ranked]]
) -> tuple[Instruction, ...]:
    """Post-order without recursion: pre-order with the children reversed, read backwards."""
    reverse: list[Instruction] = []
    stack = [(root, rank)]
    while stack:
        item, chosen = stack.pop()
        _, edge, ranks = ranked[item][chosen]
        if not edge.children:
            reverse.append(Candidate(CategoryLeaf(item.begin, item.end, item.value), ranks[0]))
        else:
            operation = grammar.rules[edge.label].operation
            reverse.append((operation, len(edge.children), item.begin, item.end))
            stack.extend(zip(edge.children, ranks, strict=False))
    return tuple(reversed(reverse))
