"""Notations: what is printed is read again, and what is read is printed as the file has it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.domains.terms.form_text import MAX_LEVELS, Notation, find_notation
from lear.domains.terms.tree import Tree
from lear.errors import FormError

ATOMS = st.from_regex(
    r"[a-z_][a-z0-9_]{0,5}|-?[0-9]{1,3}(\.[0-9])?|'[a-z ]{0,5}'|\d\d:\d\d", fullmatch=True
)
WORDS = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)


def trees(atoms: st.SearchStrategy[str]) -> st.SearchStrategy[Tree]:
    return st.recursive(
        atoms.map(Tree),
        lambda inner: st.builds(Tree, WORDS, st.lists(inner, min_size=1, max_size=4).map(tuple)),
        max_leaves=12,
    )


SPACINGS = st.builds(
    Notation,
    kind=st.just("calls"),
    opening=st.sampled_from(["(", " ( ", "( "]),
    separator=st.sampled_from([", ", ",", " , "]),
    closing=st.sampled_from([")", " )"]),
)


@given(trees(ATOMS), SPACINGS)
def test_calls_are_read_as_they_were_printed(tree: Tree, notation: Notation) -> None:
    assert notation.read(notation.render(tree)) == tree


@given(trees(ATOMS), SPACINGS)
def test_the_spacing_of_calls_is_found(tree: Tree, notation: Notation) -> None:
    form = notation.render(Tree("f", (tree, tree)))
    found = find_notation([form])
    assert found.render(found.read(form)) == form


@given(trees(WORDS))
def test_lists_are_read_as_they_were_printed(tree: Tree) -> None:
    notation = Notation("lists")
    assert notation.read(notation.render(tree)) == tree


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(
    JSON_VALUES.filter(lambda value: isinstance(value, list | dict)),
    st.sampled_from([(", ", ": "), (",", ":")]),
    st.booleans(),
)
def test_json_keeps_its_own_style(
    value: object, separators: tuple[str, str], ascii_only: bool
) -> None:
    form = json.dumps(value, separators=separators, ensure_ascii=ascii_only)
    notation = find_notation([form])
    printed = notation.render(notation.read(form))
    assert json.loads(printed) == value
    assert notation.read(printed) == notation.read(form)


@pytest.mark.parametrize("form", ["(order (item 2 coffee) to_go)", "((a b) c)", "x", "(f)", "()"])
def test_lists_without_a_symbol_print_as_they_were(form: str) -> None:
    notation = Notation("lists")
    assert notation.render(notation.read(form)) == form


@pytest.mark.parametrize(
    ("kind", "form", "cause"),
    [
        ("calls", "f(a", "the bracket of 'f' is not closed"),
        ("calls", "f(a,)", "an argument is missing"),
        ("calls", "f(,a)", "an argument is missing"),
        ("calls", "f(a))", "outside of all brackets"),
        ("calls", "f(a) b", "a comma is missing"),
        ("calls", "(a)", "a bracket without a function"),
        ("calls", "'x", "a quote is not closed"),
        ("calls", "", "the form is empty"),
        ("lists", "(a", "a bracket is not closed"),
        ("lists", "(a))", "a bracket too many"),
        ("lists", "(a) (b)", "not one term"),
        ("json", '{"a": }', "not JSON"),
        ("json", "[" * 100_000, "nested in more than"),
        ("calls", "f(" * 10_000, "nested in more than"),
        ("lists", "(" * 10_000, "nested in more than"),
    ],
)
def test_what_cannot_be_read_says_why(kind: str, form: str, cause: str) -> None:
    with pytest.raises(FormError, match=cause):
        Notation(kind).read(form)  # type: ignore[arg-type]


def test_the_deepest_form_that_is_read_is_printed() -> None:
    form = "f(" * MAX_LEVELS + "a" + ")" * MAX_LEVELS
    assert Notation().render(Notation().read(form)) == form
