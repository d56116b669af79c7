"""Scores: when an answer is right, whose fault a wrong one is, and that every row counts once."""

import pytest

from lear.algebra.algebra import MeaningTable, Primitive
from lear.algebra.derivations import Derivation, Leaf, Node
from lear.benchmark import Example
from lear.domains.cogs.domain import COGS
from lear.domains.toy import TOY
from lear.errors import FormError
from lear.evaluation.scores import RIGHT, WRONG, Score, Scores, Verdict, blame, judge, same_answer
from lear.forest.oracle import Oracle


def test_matches_are_strict_and_lenient() -> None:
    table = MeaningTable(COGS.language.algebra)
    tokens = ("Emma", "ate", "the", "cake", ".")
    roles = "eat . agent ( x _ 1 , Emma ) AND eat . theme ( x _ 1 , x _ 3 )"
    form = f"* cake ( x _ 3 ) ; {roles}"
    row = Example(tokens, form, "", "here")
    gold = COGS.language.read(form, tokens, table)
    indefinite = COGS.language.read(f"{roles} AND cake ( x _ 3 )", tokens, table)
    other = COGS.language.read("eat . agent ( x _ 1 , Emma )", tokens, table)
    predictions = (gold, indefinite, other)
    verdicts = [judge(COGS, row, COGS.language.render(p), p)[:3] for p in predictions]
    assert verdicts == [(True, True, True), (False, False, True), (False, False, False)]
    assert judge(COGS, row, None, None) == WRONG


def test_the_same_meaning_in_other_letters_is_exact_but_not_the_text() -> None:
    # Gold is spaced otherwise than the printer writes it.
    row = Example(("Tom", "sees", "Mary"), "see  ( tom , mary )", "", "here")
    meaning = TOY.language.read("see ( tom , mary )", (), MeaningTable(TOY.language.algebra))
    verdict = judge(TOY, row, "see ( tom , mary )", meaning)
    assert (verdict.text, verdict.exact, verdict.lenient) == (False, True, True)
    assert judge(TOY, row, row.form, meaning) == RIGHT


def answer(form: str) -> object:
    if form == "broken":
        raise FormError("broken")
    return len(form)


@pytest.mark.parametrize(
    ("gold", "form", "expected"),
    [
        ("abc", "xyz", True),
        ("abc", "xy", False),
        ("abc", "broken", False),
        ("abc", None, False),
        ("broken", "abc", None),
        ("broken", "broken", None),
    ],
)
def test_answers_are_compared_where_gold_can_be_run(
    gold: str, form: str | None, expected: bool | None
) -> None:
    assert same_answer(answer, gold, form) is expected


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


CLOSE = Verdict(text=False, exact=False, lenient=True)


def test_every_row_is_counted_once_in_each_sort() -> None:
    scores = Scores()
    rows = [
        ("cp_recursion", 5, RIGHT),
        ("cp_recursion", 6, WRONG),
        ("prim_to_inf_arg", 10, CLOSE),
        ("prim_to_inf_arg", 11, RIGHT._replace(denotation=True)),
        ("prim_to_inf_arg", 11, WRONG._replace(denotation=False)),
    ]
    for group, length, verdict in rows:
        scores.add(group, length, verdict)
    overall = scores.overall
    assert overall == Score(n=5, text=2, exact=2, lenient=3, run=2, denotation=1)
    assert overall.exact_match == 0.4
    assert overall.lenient_match == pytest.approx(0.6)
    assert overall.denotation_match == 0.5
    assert {name: s.n for name, s in scores.by_length().items()} == {
        "1-5": 1,
        "6-10": 2,
        "11-15": 2,
    }
    assert {name: s.n for name, s in scores.by_kind(COGS).items()} == {
        "structural": 2,
        "lexical": 3,
    }
    assert scores.by_kind(TOY) == {}


def test_no_rows_score_nothing() -> None:
    empty = Scores().overall
    assert (empty.exact_match, empty.text_match, empty.lenient_match) == (0, 0, 0)
    assert empty.denotation_match is None
    assert Scores().sentences_per_second == 0
