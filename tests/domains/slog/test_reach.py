"""Every row of SLOG is in reach; gaps are legal in any role, at any depth and in any position."""

import re
from pathlib import Path

import pytest

from lear.algebra.algebra import MeaningTable
from lear.domains.cogs import domain as corpus
from lear.domains.cogs.algebra import COGS_ALGEBRA
from lear.domains.cogs.forms import atoms, render_atom
from lear.domains.slog import SLOG
from lear.evaluation.coverage import CategoryPromise, Reached, coverage
from lear.forest.oracle import Oracle
from lear.grammar.reading import SentenceReader
from lear.grammar.rules import Grammar, Rule
from tests.support.shipped import shipped
from tests.support.slog_kinds import KINDS, sentences


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    """The search with the lexicon of the model that ships."""
    return Oracle(SentenceReader(SLOG, shipped("slog").model.lexicon))


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["train", "dev", "test"])
def test_every_row_is_in_reach(slog_folder: Path, oracle: Oracle, name: str) -> None:
    rows = corpus.read_rows(slog_folder / f"slog/{name}.tsv")
    lost = [row for row in coverage(oracle, rows) if not isinstance(row, Reached)]
    assert lost == []


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_of_each_kind_are_in_reach(oracle: Oracle, kind: str) -> None:
    lost = [row for row in coverage(oracle, sentences(kind, 3)) if not isinstance(row, Reached)]
    assert lost == []


def test_examples_of_the_operations_are_true(oracle: Oracle) -> None:
    for operation in SLOG.language.algebra.operations:
        example, clause = operation.example.split("  =>  ")
        phrase = tuple(re.sub(r"\(.*\)", "", example).split())  # without what stands before it
        chart = oracle.search(oracle.reader.read(phrase), MeaningTable(SLOG.language.algebra))
        shown = {
            render_atom(atom)
            for item in chart.cell(0, len(phrase))
            for edge in item.edges
            if edge.label == operation.name
            for atom in atoms(item.value)
        }
        assert clause in shown, operation.name


def test_meanings_of_one_category_behave_alike(oracle: Oracle) -> None:
    promise = CategoryPromise(SLOG)
    for kind in KINDS:
        for row in sentences(kind, 3):
            forest = oracle.gold_forest(row)
            assert forest is not None
            promise.add(forest.items())
    assert promise.broken() == []


def test_slog_has_the_operations_of_cogs() -> None:
    names = list(SLOG.language.algebra.by_name)
    assert names[: len(COGS_ALGEBRA.operations)] == list(COGS_ALGEBRA.by_name)


@pytest.mark.parametrize(
    ("operation", "parts", "as_operation", "as_parts"),
    [
        ("take_recipient_gap", "[Ditransitive+theme] to", "take_recipient",
         "[Ditransitive+theme] to [NounPhrase]"),
        ("modify_on_gap", "[Entity] on", "modify_on", "[Entity] on [NounPhrase]"),
        ("pronoun_as_theme", "[NounPhrase] was [Verb]", "subject_as_theme",
         "[NounPhrase] was [Verb]"),
        ("take_agent_theme_gap", "[Ditransitive] by [NounPhrase]", "take_agent",
         "[Ditransitive+theme] by [NounPhrase]"),
        ("invert_recipient", "[NounPhrase] [Ditransitive]", "subject_as_recipient",
         "[NounPhrase] was [Ditransitive+theme]"),
        ("invert_theme", "[NounPhrase] [Ditransitive+recipient]", "subject_as_theme",
         "[NounPhrase] was [Ditransitive+recipient]"),
        ("take_wh_clause", "[Verb] [WhClause]", "take_clause", "[Verb] that [Clause]"),
        ("take_theme", "[Verb] [NounPhrase]", "take_theme", "[Verb] [NounPhrase]"),
    ],
)  # fmt: skip
def test_a_rule_with_a_gap_is_scored_as_the_one_without(
    oracle: Oracle, operation: str, parts: str, as_operation: str, as_parts: str
) -> None:
    grammar = Grammar(oracle.reader.categories)
    rule = Rule(operation, tuple(parts.split()))
    assert grammar.scored_as(rule) == Rule(as_operation, tuple(as_parts.split()))
    assert grammar.scored[grammar.number(rule)] == grammar.scored_as(rule)
