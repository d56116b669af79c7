"""The guide of a domain that has none: it loses no derivation, and knows where it would."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from lear.algebra.algebra import Algebra, Meaning, MeaningTable
from lear.domain import Domain, Guide
from lear.domains.cogs.domain import COGS
from lear.domains.toy import TOY, Person
from lear.forest import oracle as default_guide
from lear.forest.oracle import Oracle, anything, guide_of, within
from tests.support.brute_force import gold_derivations
from tests.support.lexicons import SMALL_COGS
from tests.support.toy_rows import SHORT, TEST, TRAIN


def guided(domain: Domain, guide: Guide | None) -> Domain:
    """The same domain with another guide."""
    return replace(domain, language=replace(domain.language, guide=guide))


def test_the_default_guide_loses_no_derivation(toy_oracle: Oracle) -> None:
    oracle = Oracle.of(guided(TOY, None), toy_oracle.lexicon)
    unguided = Oracle.of(guided(TOY, anything), toy_oracle.lexicon)
    assert guide_of(oracle.reader) is within
    for row in [*TRAIN[::20], *TEST[::20]]:
        found, expected = oracle.gold_forest(row), unguided.gold_forest(row)
        assert found is not None
        assert expected is not None
        assert set(found.derivations(1000)) == set(expected.derivations(1000))
    for row in SHORT[:5]:
        found = oracle.gold_forest(row)
        assert found is not None
        assert set(found.derivations(1000)) == gold_derivations(oracle, row)


def test_the_default_guide_keeps_only_what_gold_can_hold() -> None:
    table = MeaningTable(TOY.language.algebra)
    gold = TOY.language.read("see ( tom , son ( mary ) )", (), table)
    keep = within(gold)
    mary, john = (table.intern(Person(name)) for name in ("mary", "john"))
    assert keep(gold)
    assert keep(table.intern(Person("son", mary)))
    assert not keep(john)
    assert not keep(table.intern(Person("mary", mary)))  # twice, but gold has it once


def test_a_guide_of_its_own_is_used_as_it_is() -> None:
    for domain, lexicon in ((COGS, SMALL_COGS), (guided(COGS, anything), SMALL_COGS)):
        assert guide_of(Oracle.of(domain, lexicon).reader) is domain.language.guide


def somebody(person: Person) -> Person:
    """`the girl  =>  somebody`."""
    del person
    return Person("somebody")


@pytest.mark.parametrize("what", ["forgets", "finishes"])
def test_nothing_is_left_out_where_values_may_be_lost(toy_oracle: Oracle, what: str) -> None:
    language = guided(TOY, None).language
    if what == "forgets":
        functions = (somebody, *(op.function for op in language.algebra.operations))
        algebra = Algebra.of("toy", functions, language.algebra.is_complete)
        language = replace(language, algebra=algebra)
    else:

        def itself(meaning: Meaning, tokens: Sequence[str]) -> Meaning:
            del tokens
            return meaning

        language = replace(language, finishing={"itself": itself})
    reader = Oracle.of(replace(TOY, language=language), toy_oracle.lexicon).reader
    assert guide_of(reader) is anything


def test_nothing_is_left_out_where_there_is_too_much_to_check(
    toy_oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Oracle.of(guided(TOY, None), toy_oracle.lexicon).reader
    monkeypatch.setattr(default_guide, "MAX_CHECKS", 3)
    assert guide_of(reader) is anything
