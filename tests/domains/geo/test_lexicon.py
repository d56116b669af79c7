"""The induced lexicon of GEO: names from the gazetteer and from rows, words by alignment."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lear.core.lexicon import UNKNOWN, Lexicon, Primitive
from lear.domain.example import Benchmark, Example
from lear.domains.geo.corpus import STANDARD
from lear.domains.geo.domain import GEO
from lear.grammar.sentence_reader import SentenceReader

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


def test_a_model_sees_names_by_their_sorts(names_lexicon: Lexicon) -> None:
    reader = SentenceReader(GEO, names_lexicon)
    view = reader.read(("rivers", "in", "texas", "xyzzy")).view
    assert view == ("rivers", "in", "<Entity state>", UNKNOWN)
    assert reader.read(("rivers", "in", "ohio")).view[2] == "<Entity river | Entity state>"
