"""Every row of COGS is in reach, and every operation is needed."""

from itertools import permutations
from pathlib import Path

import pytest

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import Node, walk
from lear.benchmark import Example
from lear.domains.cogs import domain as corpus
from lear.domains.cogs.domain import COGS
from lear.domains.cogs.forms import atoms, render_atom
from lear.evaluation.coverage import Reached, coverage
from lear.forest.chart import DEFAULT_BUDGET, Budget
from lear.forest.oracle import Oracle

pytestmark = pytest.mark.data

FILES = ("train", "dev", "test", "gen", "gen_original")


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_every_row_is_in_reach(data_folder: Path, cogs_oracle: Oracle, name: str) -> None:
    rows = corpus.read_rows(data_folder / f"cogs/{name}.tsv")
    lost = [row for row in coverage(cogs_oracle, rows) if not isinstance(row, Reached)]
    assert lost == []


def test_examples_of_the_operations_are_true(cogs_oracle: Oracle) -> None:
    for operation in COGS.language.algebra.operations:
        phrase, clause = operation.example.split("  =>  ")
        table = MeaningTable(COGS.language.algebra)
        chart = cogs_oracle.search(cogs_oracle.reader.read(tuple(phrase.split())), table)
        shown = {
            render_atom(atom)
            for item in chart.cell(0, len(phrase.split()))
            for edge in item.edges
            if edge.label == operation.name
            for atom in atoms(item.value)
        }
        assert clause in shown, operation.name


def test_training_needs_every_operation(cogs_train: list[Example], cogs_oracle: Oracle) -> None:
    needed: set[str] = set()
    for row in cogs_train[:2000]:
        forest = cogs_oracle.gold_forest(row)
        assert forest is not None
        operations = [
            {node.operation for _, node in walk(derivation) if isinstance(node, Node)}
            for derivation in forest.derivations(limit=100)
        ]
        needed |= set.intersection(*operations)
    assert needed == set(COGS.language.algebra.by_name)


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        # What is contained comes first in one row, last in the other.
        (
            "Emma gave a cake beside Liam to Liam .",
            "give . agent ( x _ 1 , Emma ) AND give . theme ( x _ 1 , x _ 3 ) "
            "AND give . recipient ( x _ 1 , Liam ) AND cake ( x _ 3 ) "
            "AND cake . nmod . beside ( x _ 3 , Liam )",
        ),
        (
            "Emma said that Emma slept .",
            "say . agent ( x _ 1 , Emma ) AND say . ccomp ( x _ 1 , x _ 4 ) "
            "AND sleep . agent ( x _ 4 , Emma )",
        ),
    ],
)
def test_a_name_that_occurs_twice_is_put_where_it_belongs(
    sentence: str, form: str, cogs_oracle: Oracle
) -> None:
    tokens = tuple(sentence.split())
    for clauses in permutations(form.split(" AND ")):
        table = MeaningTable(COGS.language.algebra)
        gold = COGS.language.read(" AND ".join(clauses), tokens, table)
        assert cogs_oracle.forest(cogs_oracle.reader.read(tokens), gold, table) is not None
        assert COGS.language.render(gold) == form


def test_the_longest_row_stays_far_inside_the_default_budget(
    data_folder: Path, cogs_oracle: Oracle
) -> None:
    rows = corpus.read_rows(data_folder / "cogs/gen.tsv")
    longest = max(rows, key=lambda row: len(row.tokens))
    assert len(longest.tokens) >= 60
    oracle = Oracle.of(COGS, cogs_oracle.lexicon, Budget(DEFAULT_BUDGET.combinations // 100))
    assert oracle.gold_forest(longest) is not None
