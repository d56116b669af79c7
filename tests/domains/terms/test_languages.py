"""Languages from pairs alone: what is found in them, what is in reach, and what is promised."""

import pytest

from lear.benchmark import Example
from lear.domain import Domain
from lear.domains.pairs import read_pairs
from lear.domains.terms.corpus import HOME
from lear.domains.terms.domain import TERMS
from lear.domains.terms.language import restore_language
from lear.domains.terms.tokenizer import tokenize
from lear.errors import DataError
from lear.forest.oracle import Oracle
from lear.lexicon.lexicon import Lexicon
from tests.support.congruence import check_congruence
from tests.support.pair_languages import languages
from tests.support.pairs import inferred, rows_by_part

LANGUAGES = ("home", "calendar", "order", "arithmetic")


@pytest.fixture(scope="module", params=LANGUAGES)
def rows(request: pytest.FixtureRequest) -> dict[str, list[Example]]:
    if request.param == "home":
        return read_pairs(HOME, tokenize)
    return rows_by_part(languages()[request.param])


@pytest.fixture(scope="module", params=["types", "mixed", "symbols"])
def domain(request: pytest.FixtureRequest, rows: dict[str, list[Example]]) -> Domain:
    return inferred(rows["train"], request.param)


@pytest.fixture(scope="module")
def lexicon(domain: Domain, rows: dict[str, list[Example]]) -> Lexicon:
    return domain.words.induce(rows["train"], ())


def test_every_training_row_is_in_reach(
    domain: Domain, lexicon: Lexicon, rows: dict[str, list[Example]]
) -> None:
    oracle = Oracle.of(domain, lexicon)
    unreached = [row.sentence for row in rows["train"] if oracle.gold_forest(row) is None]
    assert unreached == []


def test_categories_keep_what_they_promise(
    domain: Domain, lexicon: Lexicon, rows: dict[str, list[Example]]
) -> None:
    short = sorted(rows["train"], key=lambda row: len(row.tokens))[:12]
    assert check_congruence(Oracle.of(domain, lexicon), short).num_categories > 3


def test_a_language_is_restored_from_what_a_model_keeps(
    domain: Domain, rows: dict[str, list[Example]]
) -> None:
    assert TERMS.inference is not None
    again = TERMS.inference.restore(domain.inferred)
    assert again.inferred == domain.inferred
    assert again.words.induce(rows["train"], ()) == domain.words.induce(rows["train"], ())


def calendar() -> Domain:
    return inferred(rows_by_part(languages()["calendar"])["train"], "types")


def test_a_function_that_no_word_says_makes_names() -> None:
    language = restore_language(calendar().inferred)
    assert language.types.names == {"person": 0}
    assert [c.name for c in language.open_classes] == ["person"]


def test_a_name_never_seen_is_written_as_others_are() -> None:
    (name,) = calendar().words.unknown("zoe")
    assert name.symbol == "person(Zoe)"


def test_a_literal_never_seen_is_worked_out() -> None:
    words = calendar().words
    assert [p.symbol for p in words.joined(("half", "past", "six", "pm"))] == ["18:30"]
    units = words.join_units(iter([("at",), ("six",), ("thirty",), ("am",)]), Lexicon("", {}, {}))
    assert list(units) == [("at",), ("six", "thirty", "am")]


def test_what_no_word_says_is_found() -> None:
    language = restore_language(
        inferred(rows_by_part(languages()["order"])["train"], "types").inferred
    )
    assert {"item", "order"} <= {lift.symbol for lift in language.lifts}


@pytest.mark.parametrize(
    "change",
    [
        {"symbols": 3},
        {"lifts": [{"kind": "x", "symbol": "no such", "place": 0}]},
        {"lifts": [{"kind": "x", "symbol": "create", "place": 7}]},
        {"fineness": "none"},
        {"unknown": 1},
    ],
)
def test_a_language_that_no_inference_wrote_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(DataError, match="not a language of terms"):
        restore_language(calendar().inferred | change)
