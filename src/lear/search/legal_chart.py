"""All legal derivations of a sentence, as a chart over the categories of its skeleton."""

from collections.abc import Callable, Iterable, Sequence

from lear.grammar.grammar import Application, Grammar
from lear.grammar.sentence_reading import Candidate, CategoryLeaf, Skeleton
from lear.search.chart import DEFAULT_BUDGET, Budget, Chart, Edge, Item, LeafValue, search
from lear.search.k_best import RankedNode, k_best
from lear.search.skeleton_derivation import Instruction, Program

LeafScores = Callable[[CategoryLeaf], Sequence[float]]
"""The scores of the primitives behind a leaf, in their order."""


def legal_chart(
    grammar: Grammar, skeleton: Skeleton, budget: Budget = DEFAULT_BUDGET
) -> Chart[int]:
    """All derivations of a skeleton: values are categories, labels are rules' numbers."""
    words = skeleton.words

    def combine(begin: int, end: int, children: tuple[Item[int], ...]) -> Iterable[Application]:
        first, last = children[0], children[-1]
        if first is last:
            before, after = words[begin : first.begin], words[first.end : end]
            return grammar.unary_applications(before, first.value, after)
        between = words[first.end : last.begin]
        return grammar.binary_applications(first.value, between, last.value)

    return search(
        (LeafValue(begin, end, None, value) for begin, end, value in skeleton.leaves),
        skeleton.is_function_word,
        combine,
        shape=grammar.shape,
        budget=budget,
    )


def complete_items(grammar: Grammar, chart: Chart[int]) -> list[Item[int]]:
    """The items over the whole sentence that can be answers."""
    items = chart.cell(0, chart.num_tokens)
    return [item for item in items if grammar.categories.is_complete(item.value)]


def best_programs(
    grammar: Grammar,
    chart: Chart[int],
    rule_scores: Sequence[float],
    leaf_scores: LeafScores,
    count: int,
) -> list[Program]:
    """The `count` best complete derivations of a chart, best first, by the sum of their scores."""

    def scores(item: Item[int], edge: Edge[int]) -> Sequence[float]:
        if edge.children:
            return (rule_scores[edge.label],)
        return leaf_scores(CategoryLeaf(item.begin, item.end, item.value))

    def instruction(node: RankedNode[int]) -> Instruction:
        (begin, end, category), edge = (
            (node.item.begin, node.item.end, node.item.value),
            node.way.edge,
        )
        if not edge.children:
            leaf = CategoryLeaf(begin, end, category)
            return Instruction.leaf(Candidate(leaf, node.way.ranks[0]))
        operation = grammar.rules[edge.label].operation
        return Instruction(operation, len(edge.children), begin, end)

    return [
        Program(score, tuple(map(instruction, nodes)))
        for score, nodes in k_best(complete_items(grammar, chart), scores, count)
    ]
