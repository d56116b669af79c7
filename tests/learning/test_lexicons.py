"""What is left of a lexicon when entries that no training row needs are taken out."""

from lear.algebra.algebra import Primitive
from lear.benchmark import Example
from lear.domains.geo.domain import GEO
from lear.forest.oracle import Oracle
from lear.learning.lexicons import without_needless_entries
from lear.lexicon.lexicon import Entry, Lexicon, Unit

IN = Primitive("Predicate", "loc_1")
UNITS: dict[Unit, tuple[Entry, ...]] = {
    ("austin",): (Entry(Primitive("Entity", "cityid('austin', _)"), 2),),
    ("state",): (Entry(Primitive("Predicate", "state"), 2),),
    ("is",): (Entry(IN, 1),),
    ("in",): (Entry(IN, 2),),
}
WORDS = {"what": 9, "is": 9, "in": 9}
LEXICON = Lexicon("geo", UNITS, WORDS)
FORM = "answer(state(loc_1(cityid('austin', _))))"
ROW = Example(("what", "state", "is", "austin", "in"), FORM, "", "a row")


def test_of_two_readings_that_do_the_same_the_rarer_goes() -> None:
    left = without_needless_entries(LEXICON, GEO, [ROW], 0.5)
    assert set(left.units) == set(UNITS) - {("is",)}
    assert left.function_words == WORDS


def test_what_a_row_needs_stays_and_all_rows_stay_in_reach() -> None:
    rows = [ROW, Example(("what", "state", "is", "austin"), FORM, "", "another row")]
    left = without_needless_entries(LEXICON, GEO, rows, 0.5)
    assert ("is",) in left.units
    assert ("in",) not in left.units  # "is" does for both rows
    assert all(Oracle.of(GEO, left).gold_forest(row) is not None for row in rows)


def test_frequent_readings_and_those_of_content_words_stay() -> None:
    assert without_needless_entries(LEXICON, GEO, [ROW], 0.05) == LEXICON
    content = Lexicon("geo", UNITS, {"what": 9})
    assert without_needless_entries(content, GEO, [ROW], 1.0) == content
