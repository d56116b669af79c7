"""A derivation's meaning is a fold of its post-order; JSON, text and pictures show it whole."""

import pytest

from lear.algebra.algebra import MeaningTable, Primitive
from lear.algebra.derivations import (
    Derivation,
    Leaf,
    Node,
    evaluate,
    from_json,
    post_order,
    to_json,
    walk,
)
from lear.algebra.drawing import as_svg, as_text
from lear.domains.toy import TOY
from lear.errors import AlgebraError, DataError
from lear.forest.oracle import Oracle
from tests.support.brute_force import all_derivations

TOKENS = ("Tom", "teaches", "John", "'s", "daughter")
TOM = Leaf(0, 1, Primitive("Person", "tom"))
TEACHES = Leaf(1, 2, Primitive("Action", "teach"))
JOHN = Leaf(2, 3, Primitive("Person", "john"))
DAUGHTER = Leaf(4, 5, Primitive("Relation", "daughter"))
OBJECT = Node(2, 5, "possess", (JOHN, DAUGHTER))
SENTENCE = Node(0, 5, "take_subject", (TOM, Node(1, 5, "take_object", (TEACHES, OBJECT))))


def test_the_meaning_is_the_fold_of_the_operations() -> None:
    meaning = evaluate(SENTENCE, MeaningTable(TOY.language.algebra), TOY.words.ground)
    assert TOY.language.render(meaning) == "teach ( tom , daughter ( john ) )"


def test_post_order_has_children_before_parents_and_left_before_right(toy_oracle: Oracle) -> None:
    def recursive(node: Derivation) -> list[Derivation]:
        return [part for child in node.children for part in recursive(child)] + [node]

    for derivation in all_derivations(toy_oracle, TOKENS):
        assert post_order(derivation, lambda node: node.children) == recursive(derivation)


def test_an_undefined_operation_is_an_error_that_names_operation_and_types() -> None:
    wrong = Node(0, 2, "possess", (TOM, TEACHES))
    cause = r"possess \(Person \+ Relation -> Person\) is not defined on these Person, Action"
    with pytest.raises(AlgebraError, match=cause):
        evaluate(wrong, MeaningTable(TOY.language.algebra), TOY.words.ground)
    with pytest.raises(AlgebraError, match="no operation 'fly'"):
        evaluate(Node(0, 1, "fly", (TOM,)), MeaningTable(TOY.language.algebra), TOY.words.ground)


def test_json_reads_back_as_the_same_tree(toy_oracle: Oracle) -> None:
    for derivation in all_derivations(toy_oracle, TOKENS):
        assert from_json(to_json(derivation)) == derivation


@pytest.mark.parametrize("text", ["", "{", "[]", '{"kind": "twig"}', '{"kind": "node"}'])
def test_what_is_not_a_derivation_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="not a derivation"):
        from_json(text.encode())


def test_a_node_without_children_is_an_error_and_not_a_crash() -> None:
    empty = b'{"kind":"node","begin":0,"end":1,"operation":"possess","children":[]}'
    with pytest.raises((AlgebraError, DataError)):
        evaluate(from_json(empty), MeaningTable(TOY.language.algebra), TOY.words.ground)


def possessive(depth: int) -> Derivation:
    """John 's daughter 's daughter and so on."""
    deep: Derivation = JOHN
    for _ in range(depth):
        deep = Node(2, 5, "possess", (deep, DAUGHTER))
    return deep


def test_json_can_be_written_at_any_depth() -> None:
    text = to_json(possessive(3_000))
    assert text.count(b'"possess"') == 3_000
    with pytest.raises(DataError):
        from_json(text)


def test_a_hostile_depth_is_refused_and_not_a_crash() -> None:
    opening = '{"kind":"node","begin":0,"end":1,"operation":"x","children":['
    with pytest.raises(DataError):
        from_json((opening * 100_000).encode())


def test_a_node_owns_the_words_that_no_child_covers() -> None:
    assert OBJECT.words(TOKENS) == ("'s",)
    assert OBJECT.word_positions == [3]


def test_depth_is_not_bounded_by_the_interpreter() -> None:
    deep = possessive(2_000)
    table = MeaningTable(TOY.language.algebra)
    assert TOY.language.render(evaluate(deep, table, TOY.words.ground)).count("daughter") == 2_000
    assert max(depth for depth, _ in walk(deep)) == 2_000


def test_text_shows_one_line_a_node() -> None:
    assert as_text(SENTENCE, TOKENS).splitlines() == [
        "take_subject",
        "├─ Tom  =  Person tom",
        "└─ take_object",
        "   ├─ teaches  =  Action teach",
        '   └─ possess  "\'s"',
        "      ├─ John  =  Person john",
        "      └─ daughter  =  Relation daughter",
    ]


def test_text_rails_stand_only_where_a_sibling_follows() -> None:
    left = Node(0, 5, "possess", (Node(0, 3, "possess", (TOM, DAUGHTER)), DAUGHTER))
    lines = as_text(left, TOKENS).splitlines()
    assert lines[1:4] == [
        '├─ possess  "teaches John"',
        "│  ├─ Tom  =  Person tom",
        "│  └─ daughter  =  Relation daughter",
    ]


def test_svg_shows_every_token_and_operation_and_escapes_them() -> None:
    svg = as_svg(SENTENCE, ("Tom", "<b>", "John", "'s", "daughter"))
    assert "<b>" not in svg.replace("&lt;b&gt;", "")
    for label in ("take_subject", "take_object", "possess", "&lt;b&gt;", "&#x27;s"):
        assert f">{label}</text>" in svg


def test_text_of_any_depth_is_drawn() -> None:
    deep: Derivation = JOHN
    for _ in range(2_000):
        deep = Node(2, 5, "possess", (deep, DAUGHTER))
    assert as_text(deep, TOKENS).count("possess") == 2_000
