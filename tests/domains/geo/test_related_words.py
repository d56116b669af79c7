"""Words that training lacks: read by names of functions, and by what WordNet relates them to."""

from pathlib import Path

import pytest

from lear.algebra.algebra import Primitive
from lear.domains.geo.lexicon import unknown, with_relatives
from lear.lexicon.lexicon import UNKNOWN, Entry, Lexicon
from lear.lexicon.stems import stem
from wordnet import WordNet, related_pairs, superlative

NOUNS = """\
  1 a comment
00000001 00 n 02 border 0 edge 0 001 + 00000001 v 0101 | a line
"""
VERBS = """\
00000001 00 v 02 border 0 adjoin 0 001 + 00000001 n 0101 01 + 08 00 | lie next to
00000002 00 v 01 edge 0 000 01 + 08 00 | move slowly
"""
ADJECTIVES = """\
00000001 00 a 01 tall 0 001 & 00000002 s 0000 | of height
00000002 00 s 01 big 0 001 & 00000001 a 0000 | of size
"""


@pytest.fixture
def wordnet(tmp_path: Path) -> WordNet:
    """A small thesaurus in the layout of WordNet."""
    files = {
        "data.noun": NOUNS,
        "index.noun": "border n 1 1 + 1 1 00000001\nedge n 1 1 + 1 1 00000001\n",
        "data.verb": VERBS,
        "index.verb": "border v 1 1 + 1 1 00000001\nadjoin v 1 1 + 1 1 00000001\n"
        "edge v 1 0 1 1 00000002\n",
        "data.adj": ADJECTIVES,
        "index.adj": "tall a 1 1 & 1 1 00000001\nbig a 1 1 & 1 1 00000002\n",
        "data.adv": "",
        "index.adv": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return WordNet.read(tmp_path)


def lexicon(function_words: int = 0) -> Lexicon:
    entry = Entry(Primitive("Predicate", "next_to_2"), 3)
    return Lexicon("geo", {("border",): (entry,)}, {"border": function_words, UNKNOWN: 1})


def test_words_are_the_nearer_the_fewer_steps_are_between_their_senses(wordnet: WordNet) -> None:
    assert wordnet.distances("adjoin") == {"border": 0, "edge": 1}
    assert wordnet.distances("zebra") == {}


def test_only_pairs_with_an_anchor_are_kept_and_superlatives_follow(wordnet: WordNet) -> None:
    pairs = list(related_pairs(wordnet, ("borders", "biggest")))
    assert ("adjoin", "border") in pairs
    assert ("tallest", "biggest") in pairs
    assert {related for _, related in pairs} == {"border", "biggest"}


@pytest.mark.parametrize(
    ("adjective", "form"),
    [("tall", "tallest"), ("big", "biggest"), ("large", "largest"), ("tiny", "tiniest")],
)
def test_superlatives_are_regular(adjective: str, form: str) -> None:
    assert superlative(adjective) == form


def test_a_lexicon_reads_words_that_it_lacks_as_its_own_content_words() -> None:
    related = with_relatives(lexicon())
    assert related.relatives[stem("adjoins")] == "border"
    assert stem("border") not in related.relatives
    assert set(related.relatives.values()) == {"border"}
    assert with_relatives(lexicon(function_words=9)).relatives == {}


def test_forms_of_a_function_s_name_stand_for_the_function() -> None:
    assert [p.symbol for p in unknown("traversing")] == ["traverse_1", "traverse_2"]
    assert unknown("excluded") == [Primitive("Negation", "exclude")]
    assert [p.symbol for p in unknown("higher")] == ["higher_1", "higher_2"]
    assert [p.symbol for p in unknown("length")] == ["len"]
    assert not unknown("zebra")


def test_negation_is_known_without_training() -> None:
    for word in ("not", "no", "without"):
        assert unknown(word) == (Primitive("Negation", "exclude"),)


def test_a_comparative_is_not_read_as_its_adjective() -> None:
    entry = Entry(Primitive("Predicate", "elevation_1"), 3)
    high = with_relatives(Lexicon("geo", {("high",): (entry,)}, {UNKNOWN: 1}))
    assert high.relatives is not None
    assert "high" in high.relatives.values()
    assert "higher" not in high.relatives
    assert unknown("higher")  # it is the name of a function


def test_a_comparative_is_not_read_as_an_adjective_that_means_the_same() -> None:
    entry = Entry(Primitive("Predicate", "size"), 3)
    sizes = Lexicon("geo", {("large",): (entry,), ("big",): (entry,)}, {UNKNOWN: 1})
    assert {"bigger", "larger"}.isdisjoint(with_relatives(sizes).relatives)
