"""Whose fault a wrong answer is, on trees whose fault is known."""

from lear.algebra.algebra import Primitive
from lear.algebra.derivations import Derivation, Leaf, Node
from lear.benchmark import Example
from lear.evaluation.scores import blame
from lear.forest.oracle import Oracle

TOKENS = ("Tom", "sees", "Mary", "'s", "sister")
GOLD = Example(TOKENS, "see ( tom , sister ( mary ) )", "", "here")


def gold_tree(oracle: Oracle) -> Node:
    forest = oracle.gold_forest(GOLD)
    assert forest is not None
    (tree, *_) = forest.derivations(10)
    assert isinstance(tree, Node)
    return tree


def relabelled(tree: Derivation) -> Derivation:
    if isinstance(tree, Leaf):
        return tree
    children = tuple(relabelled(child) for child in tree.children)
    return Node(tree.begin, tree.end, "know", children)


def test_the_right_tree_with_wrong_labels_is_the_interpreters_fault(toy_oracle: Oracle) -> None:
    assert blame(toy_oracle, GOLD, relabelled(gold_tree(toy_oracle))) == "Interpreter"


def test_a_tree_that_cannot_mean_it_is_the_composers_fault(toy_oracle: Oracle) -> None:
    leaves = [Leaf(place, place + 1, _primitive(toy_oracle, place)) for place in (0, 1, 2, 4)]
    inner = Node(0, 3, "a", (Node(0, 2, "b", (leaves[0], leaves[1])), leaves[2]))
    assert blame(toy_oracle, GOLD, Node(0, 5, "c", (inner, leaves[3]))) == "Composer"


def test_no_tree_is_no_answer(toy_oracle: Oracle) -> None:
    assert blame(toy_oracle, GOLD, None) == "no answer"


def _primitive(oracle: Oracle, place: int) -> Primitive:
    return oracle.lexicon.units[TOKENS[place],][0].primitive
