"""Whatever a language writes, known or new, is read again in the notation of its file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.domain import Domain
from lear.domains.terms.language import restore_language
from lear.domains.terms.tree import Tree
from tests.support.pairs import inferred, rows_by_part

WORDS = st.lists(
    st.from_regex(r"[a-z]{1,6}('[a-z]{1,3})?|[0-9]{1,3}|é\w?", fullmatch=True),
    min_size=1,
    max_size=3,
)
LANGUAGES = {
    "json": [
        ("go now", '{"intent": "go", "name": "now"}'),
        ("go Ann Lee at 9 am", '{"intent": "go", "name": "Ann Lee", "time": "09:00"}'),
        ("wait for Bob 5", '{"intent": "wait", "name": "Bob", "minutes": 5}'),
        ("wait for Zoé 7", '{"intent": "wait", "name": "Zoé", "minutes": 7}'),
    ],
    "lists": [
        ("go to Rome", "(go (city Rome))"),
        ("go to Oslo", "(go (city Oslo))"),
        ("leave Paris", "(leave (city Paris))"),
        ("leave San Diego", '(leave (city "San Diego"))'),
    ],
    "calls": [
        ("call Ann", "call('Ann')"),
        ("call Bob", "call('Bob')"),
        ("ring Tim Roe", "ring('Tim Roe')"),
        ("ring Eve at 9 pm", "ring('Eve', 21:00)"),
    ],
}


def language(name: str) -> Domain:
    rows = [(words, form, "train") for words, form in LANGUAGES[name]]
    return inferred(rows_by_part(rows)["train"], "types")


@pytest.fixture(scope="module", params=LANGUAGES)
def domain(request: pytest.FixtureRequest) -> Domain:
    return language(request.param)


@given(words=WORDS)
def test_names_and_literals_never_seen_are_read_again(domain: Domain, words: list[str]) -> None:
    notation = restore_language(domain.inferred).notation
    holders = {"json": "[{}]", "lists": "(x {})", "calls": "x({})"}
    for primitive in (*domain.words.unknown(words[0]), *domain.words.joined(tuple(words))):
        is_key = '":' in primitive.symbol
        form = ("{{{}}}" if is_key else holders[notation.kind]).format(primitive.symbol)
        tree = notation.read(form)
        assert notation.render(tree) == form
        assert len(tree.arguments) == 1


def test_a_name_of_several_words_has_the_quotes_that_such_names_have() -> None:
    words = language("lists").words
    assert [p.symbol for p in words.joined(("new", "york"))] == ['(city "New York")']
    assert [p.symbol for p in words.unknown("lima")] == ["(city Lima)"]


def test_each_kind_of_literal_has_its_own_quotes() -> None:
    words = language("json").words
    assert [p.symbol for p in words.joined(("four", "pm"))] == ['"16:00"']
    assert "8" in [p.symbol for p in words.unknown("8")]


def test_json_quotes_say_nothing_of_names() -> None:
    symbols = [p.symbol for p in language("json").words.unknown("zorgle")]
    assert symbols == ['"name": "Zorgle"']


def test_a_key_of_json_with_a_name_is_one_constant() -> None:
    known = restore_language(language("json").inferred)
    assert '"name":' in known.types.names
    tree = known.read('{"intent": "go", "name": "now"}')
    assert Tree('"name": "now"') in tree.arguments
    assert known.notation.render(tree) == '{"intent": "go", "name": "now"}'
