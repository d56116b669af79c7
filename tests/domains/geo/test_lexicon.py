"""The induced lexicon of GEO: names, aligned words, families of functions, related words."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lear.algebra.algebra import Primitive
from lear.benchmark import Benchmark, Example
from lear.domains.geo.corpus import STANDARD
from lear.domains.geo.domain import GEO
from lear.domains.geo.functions import FUNCTIONS, INVERSES
from lear.domains.geo.lexicon import (
    FAMILIES,
    NEGATIONS,
    SUPERLATIVES,
    family_name,
    unknown,
    with_relatives,
)
from lear.grammar.reading import SentenceReader
from lear.grammar.unknown_words import is_superlative
from lear.lexicon.lexicon import UNKNOWN, Entry, Lexicon
from lear.lexicon.stems import stem
from wordnet import WordNet, related_pairs, superlative


@pytest.fixture(scope="module")
def names_lexicon(geo_data: Path, load_geo: Callable[[Benchmark, str], list[Example]]) -> Lexicon:
    """The lexicon of the questions with real names."""
    names = GEO.words.gazetteer(STANDARD, lambda file: geo_data / file.path)
    return GEO.words.induce(load_geo(STANDARD, "train"), names)


def entities(lexicon: Lexicon, *unit: str) -> set[str]:
    return {entry.primitive.symbol for entry in lexicon.units.get(unit, ())}


@pytest.mark.data
def test_names_come_from_geobase_and_from_training_rows(names_lexicon: Lexicon) -> None:
    assert entities(names_lexicon, "mississippi") == {
        "stateid('mississippi')",
        "riverid('mississippi')",
    }
    assert entities(names_lexicon, "new", "york") == {
        "stateid('new york')",
        "cityid('new york', _)",
    }
    assert entities(names_lexicon, "united", "states") == {"countryid('usa')"}
    assert entities(names_lexicon, "in").isdisjoint({"stateid('indiana')"})
    assert "stateid('georgia')" in entities(names_lexicon, "ga")
    # A city that training never mentions.
    assert entities(names_lexicon, "wichita", "falls") == {"cityid('wichita falls', _)"}


@pytest.mark.data
def test_words_are_induced_with_several_candidates(names_lexicon: Lexicon) -> None:
    def symbols(word: str) -> set[str]:
        return {entry.primitive.symbol for entry in names_lexicon.units.get((word,), ())}

    assert symbols("capital") >= {"capital"}
    assert symbols("largest") >= {"largest", "largest_one"}
    assert symbols("runs") == {"traverse_1", "traverse_2"}
    assert names_lexicon.units["not",][0].primitive == Primitive("Negation", "exclude")
    assert names_lexicon.function_word("the") == "the"
    assert names_lexicon.function_word("meanders") == UNKNOWN
    assert names_lexicon.function_word("capital") in (None, "capital")


@pytest.mark.data
def test_training_words_stand_for_functions_of_their_own_name(names_lexicon: Lexicon) -> None:
    words = {unit[0] for unit in names_lexicon.units if len(unit) == 1}
    words.update(names_lexicon.function_words)
    own = {word: GEO.words.unknown(word) for word in words}
    assert {"elevation", "size", "higher", "not"} <= {word for word in own if own[word]}
    for word, primitives in own.items():
        known = {entry.primitive for entry in names_lexicon.units.get((word,), ())}
        assert known >= set(primitives)


@pytest.mark.data
def test_what_negates_or_is_a_superlative_is_not_dropped(names_lexicon: Lexicon) -> None:
    for word in names_lexicon.function_words:
        assert word not in NEGATIONS
        assert not (is_superlative(word) and (word,) in names_lexicon.units)


@pytest.mark.data
def test_a_model_sees_names_by_their_sorts(names_lexicon: Lexicon) -> None:
    reader = SentenceReader(GEO, names_lexicon)
    view = reader.read(("rivers", "in", "texas", "xyzzy")).view
    assert view == ("rivers", "in", "<Entity state>", UNKNOWN)
    assert reader.read(("rivers", "in", "ohio")).view[2] == "<Entity river | Entity state>"


ROWS = (
    ("largest city", "largest(city(all))"),
    ("largest state", "largest(state(all))"),
    ("largest river", "longest(river(all))"),
    ("smallest river", "shortest(river(all))"),
    ("smallest river", "shortest(river(all))"),
    ("city", "city(all)"),
    ("state", "state(all)"),
    ("river", "river(all)"),
)


def test_families_are_of_functions_and_do_not_overlap() -> None:
    assert FAMILIES.keys() <= FUNCTIONS.keys()
    for function, family in FAMILIES.items():
        assert function in family
        assert all(FAMILIES[member] == family for member in family)
    assert all(member in FUNCTIONS for family in SUPERLATIVES for member in family)


def test_inverse_relations_are_one_family_but_for_place() -> None:
    for name, inverse in INVERSES.items():
        is_one = family_name(name) == family_name(inverse)
        assert is_one == (name not in ("loc_1", "loc_2"))


def test_a_superlative_stands_for_all_of_its_family_and_no_other() -> None:
    rows = [Example(tuple(q.split()), f"answer({form})", "", "here") for q, form in ROWS]
    units = GEO.words.induce(rows, ()).units
    largest = {entry.primitive.symbol for entry in units["largest",]}
    assert largest == {"largest", "largest_one", "longest", "highest"}
    assert units["largest",][0].primitive.symbol == "largest"  # what rows show most comes first
    smallest = {entry.primitive.symbol for entry in units["smallest",]}
    assert smallest == {"smallest", "smallest_one", "shortest", "lowest"}
    assert [entry.primitive.symbol for entry in units["river",]] == ["river"]


def test_a_rare_form_is_aligned_as_other_forms_of_its_word() -> None:
    rows = [
        *[("rivers in texas", "river(loc_2(stateid('texas')))")] * 3,
        *[("name the cities", "city(all)")] * 3,
        *[("cities with rivers", "city(loc_1(river(all)))")] * 3,
        ("named cities with a river", "city(loc_1(river(all)))"),
    ]
    examples = [Example(tuple(q.split()), f"answer({form})", "", "here") for q, form in rows]
    lexicon = GEO.words.induce(examples, ())
    assert [entry.primitive.symbol for entry in lexicon.units["river",]] == ["river"]
    assert ("named",) not in lexicon.units  # as "name" stands for nothing


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
