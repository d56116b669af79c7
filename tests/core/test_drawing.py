"""Derivations for people: text and pictures show every node."""

from lear.algebra.derivations import Derivation, Node
from lear.algebra.drawing import as_svg, as_text
from tests.support.trees import DAUGHTER, JOHN, SENTENCE, TOKENS, TOM


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
