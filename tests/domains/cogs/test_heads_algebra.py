"""The algebra of COGS without chains: modifiers and complements belong to the head before them."""

from lear.algebra.algebra import Meaning, MeaningTable, Primitive
from lear.domains.cogs.domain import HEADS_COGS
from lear.grammar.categories import CategoryTable
from tests.support.congruence import check_meanings
from tests.support.total_domains import total_domains
from tests.support.total_meanings import primitives_of, random_meanings

LANGUAGE = HEADS_COGS.language


def bracketed(kind: str, feature: str, operation: str) -> tuple[str, str]:
    """Three constituents at tokens 0, 3 and 6 as forms: bracketed to the left, and to the right."""
    table = MeaningTable(LANGUAGE.algebra)
    first, second, third = (
        HEADS_COGS.words.ground(Primitive(kind, f"w{place}", feature), 3 * place, table)
        for place in range(3)
    )

    def joined(left: Meaning, right: Meaning) -> Meaning:
        meaning = table.apply(LANGUAGE.algebra.by_name[operation], (left, right))
        assert meaning is not None
        return meaning

    def form(meaning: Meaning) -> str:
        return LANGUAGE.render(LANGUAGE.finish(meaning, (), table))

    return form(joined(joined(first, second), third)), form(joined(first, joined(second, third)))


def test_brackets_decide_which_noun_is_modified() -> None:
    to_the_left, to_the_right = bracketed("Noun", "indefinite", "modify_in")
    assert "w0 . nmod . in ( x _ 1 , x _ 4 )" in to_the_left
    assert "w0 . nmod . in ( x _ 1 , x _ 7 )" in to_the_left
    assert "w0 . nmod . in ( x _ 1 , x _ 4 )" in to_the_right
    assert "w1 . nmod . in ( x _ 4 , x _ 7 )" in to_the_right
    assert "x _ 1 , x _ 7" not in to_the_right


def test_brackets_decide_which_verb_is_complemented() -> None:
    to_the_left, to_the_right = bracketed("Verb", "agent", "ccomp")
    assert to_the_right == "w0 . ccomp ( x _ 0 , x _ 3 ) AND w1 . ccomp ( x _ 3 , x _ 6 )"
    # A verb has one complement: of two, the first stays.
    assert to_the_left == "w0 . ccomp ( x _ 0 , x _ 3 )"


def test_categories_are_a_congruence() -> None:
    small = total_domains()["cogs"]
    table = MeaningTable(LANGUAGE.algebra)
    primitives = primitives_of(small.oracle.reader, small.sentences)
    meanings = random_meanings(HEADS_COGS, primitives, 80, table)
    categories = CategoryTable(HEADS_COGS)
    check_meanings(categories, meanings, table)
    assert categories.num_categories < len(table)
