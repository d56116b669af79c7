"""The induced lexicon of GEO: names from the gazetteer and from rows, words by alignment."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lear.algebra.algebra import Primitive
from lear.benchmark import Benchmark, Example
from lear.domains.geo.corpus import STANDARD
from lear.domains.geo.domain import GEO
from lear.domains.geo.lexicon import NEGATIONS
from lear.grammar.reading import SentenceReader
from lear.grammar.unknown_words import is_superlative
from lear.lexicon.lexicon import UNKNOWN, Lexicon

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def names_lexicon(geo_data: Path, load_geo: Callable[[Benchmark, str], list[Example]]) -> Lexicon:
    """The lexicon of the questions with real names."""
    names = GEO.words.gazetteer(STANDARD, lambda file: geo_data / file.path)
    return GEO.words.induce(load_geo(STANDARD, "train"), names)


def entities(lexicon: Lexicon, *unit: str) -> set[str]:
    return {entry.primitive.symbol for entry in lexicon.units.get(unit, ())}


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


def test_training_words_stand_for_functions_of_their_own_name(names_lexicon: Lexicon) -> None:
    words = {unit[0] for unit in names_lexicon.units if len(unit) == 1}
    words.update(names_lexicon.function_words)
    own = {word: GEO.words.unknown(word) for word in words}
    assert {"elevation", "size", "higher", "not"} <= {word for word in own if own[word]}
    for word, primitives in own.items():
        known = {entry.primitive for entry in names_lexicon.units.get((word,), ())}
        assert known >= set(primitives)


def test_what_negates_or_is_a_superlative_is_not_dropped(names_lexicon: Lexicon) -> None:
    for word in names_lexicon.function_words:
        assert word not in NEGATIONS
        assert not (is_superlative(word) and (word,) in names_lexicon.units)


def test_a_model_sees_names_by_their_sorts(names_lexicon: Lexicon) -> None:
    reader = SentenceReader(GEO, names_lexicon)
    view = reader.read(("rivers", "in", "texas", "xyzzy")).view
    assert view == ("rivers", "in", "<Entity state>", UNKNOWN)
    assert reader.read(("rivers", "in", "ohio")).view[2] == "<Entity river | Entity state>"
