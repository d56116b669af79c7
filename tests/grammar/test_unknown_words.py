"""Words never seen: forms of known words are found, clear misspellings repaired, others left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.grammar.unknown_words import KnownWords, is_comparative

COUNTS = {
    "density": 9, "traverses": 5, "border": 40, "borders": 20, "high": 9, "highest": 30,
    "large": 12, "state": 90, "major": 30, "population": 50, "pennsylvania": 7, "alabama": 7,
    "montana": 7, "capital": 60, "capitol": 1, "longest": 20, "what": 90, "city": 60, "points": 9,
    "country": 4, "populated": 2, "Tom": 9, "pittsburgh": 1, "virginia": 7, "hawaii": 8, "reno": 1,
    "worth": 1, "darby": 1, "francisco": 1,
}  # fmt: skip
PARTS = {"worth", "darby", "francisco"}
NAMES = {"pennsylvania", "alabama", "montana", "pittsburgh", "virginia", "hawaii", "reno", "Tom"}
KNOWN = KnownWords(COUNTS, COUNTS.keys() - NAMES - PARTS, NAMES, PARTS)
NOTHING = KnownWords({}, ())


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("traversed", "traverses"),
        ("bordered", "borders"),  # of several the nearest in length
        ("bord", None),
        ("bordering", "borders"),
        ("populations", "population"),
        ("higher", None),  # degrees are words of their own
        ("alabamas", None),  # names have no forms
        ("zebra", None),
        ("", None),
    ],
)
def test_forms_of_one_word_are_found(word: str, found: str | None) -> None:
    assert KNOWN.same_stem(word) == found


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("dense", "density"),
        ("larger", "large"),
        ("higher", "high"),  # what is higher is not the highest
        ("largest", None),
        ("bore", None),  # three letters are too few
        ("statistically", None),  # five of thirteen are too few
        ("", None),
    ],
)
def test_a_guess_is_the_word_with_the_longest_common_beginning(
    word: str, found: str | None
) -> None:
    assert KNOWN.same_beginning(word) == found


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("pensylvania", "pennsylvania"),
        ("poplation", "population"),
        ("popualtion", "population"),  # neighbours exchanged are one edit
        ("mayor", None),  # five letters: too many words are one away
        ("traverse", None),  # an ending less is another word
        ("populationn", None),  # an ending more as well
        ("popultin", None),  # two edits
        ("capitel", "capital"),  # `capitol` is too rare to be meant
        ("bord3r", None),  # not a word
        ("border", None),  # nothing to repair
        ("pittsburg", "pittsburgh"),  # a name has no forms
        ("montanas", None),  # but several of one name are no error
        ("virginian", None),  # nor is who lives there
        ("fransisco", "francisco"),
        ("populatd", "populated"),  # a long word is seldom another one
        ("prints", None),  # one letter for another makes many words
        ("pennsilvania", "pennsylvania"),
        ("county", None),  # the country is too rare
        ("longst", "longest"),
        ("longert", None),
    ],
)
def test_only_clear_misspellings_are_repaired(word: str, found: str | None) -> None:
    assert KNOWN.repaired(word) == found


def test_a_word_that_may_be_two_words_is_not_repaired() -> None:
    known = KnownWords({"martin": 9, "marvin": 9}, ())
    assert known.repaired("marbin") is None
    assert known.suggestion("marbin") == "martin"


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("mayor", "major"), ("popultin", "population"), ("moutanna", "montana"), ("may", None),
        ("zebra", None), ("statee", "state"), ("borderss", "borders"), ("hawai", "hawaii"),
        ("citty", "city"), ("waht", "what"), ("hwat", "what"), ("pittsburg", "pittsburgh"),
        ("county", "country"), ("longets", "longest"), ("lengest", "longest"), ("lorgest", None),
        ("rene", None), ("tom", "Tom"), ("TOM", "Tom"), ("Border", "border"),
        ("that", None),  # of four letters, one that differs is too many
        ("north", None),  # the first letter is seldom wrong, and worth is too rare
        ("derby", None), ("youngest", None), ("lowest", None),  # these only end like the longest
    ],
)  # fmt: skip
def test_suggestions_are_words_that_are_spelt_alike(word: str, found: str | None) -> None:
    assert KNOWN.suggestion(word) == found


@given(st.one_of(st.sampled_from(sorted(COUNTS)), st.text(max_size=14)))
def test_what_is_said_of_a_word_is_a_known_word_and_never_itself(word: str) -> None:
    for other in (KNOWN.repaired(word), KNOWN.suggestion(word)):
        assert other is None or (other in COUNTS and other != word)
    for form in (KNOWN.same_stem(word), KNOWN.same_beginning(word)):
        assert form is None or form in COUNTS.keys() - NAMES
    # What is repaired would be suggested too.
    if (repaired := KNOWN.repaired(word)) is not None:
        assert KNOWN.suggestion(word) == repaired
    assert {
        NOTHING.same_stem(word),
        NOTHING.same_beginning(word),
        NOTHING.repaired(word),
        NOTHING.suggestion(word),
    } == {None}


@pytest.mark.parametrize(
    ("word", "is_one"),
    [("longer", True), ("larger", True), ("bigger", True), ("big", False), ("river", False),
     ("er", False), ("number", False), ("biggest", False)],
)  # fmt: skip
def test_a_comparative_is_one_of_a_known_word(word: str, is_one: bool) -> None:
    assert is_comparative(word, {"long", "large", "big", "river"}) == is_one
    assert not is_comparative(word, {"state"})
