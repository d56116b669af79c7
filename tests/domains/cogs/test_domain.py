"""COGS: files, tokens, the induced lexicon, and what is in reach of it."""

from itertools import permutations
from pathlib import Path

import pytest

from lear.algebra.algebra import MeaningTable, Primitive
from lear.algebra.derivations import Node, walk
from lear.benchmark import Example
from lear.domains.cogs import domain as corpus
from lear.domains.cogs.domain import COGS, GROUP_TITLES, STRUCTURAL_GROUPS, read_rows
from lear.domains.cogs.forms import atoms, render_atom
from lear.domains.cogs.words import tokenize
from lear.errors import DataError
from lear.evaluation.coverage import Reached, coverage
from lear.forest.chart import DEFAULT_BUDGET, Budget
from lear.forest.oracle import Oracle


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"a\tb\tc\na\tb\n", ":2: expected 3 columns"),
        (b"a\tb\tc\td\n", ":1: expected 3 columns"),
        (b"a\tb\tc\n\n", ":2: expected 3 columns"),
        (b"  \tb\tc\n", ":1: the sentence is empty"),
        (b"a\t\tc\n", ":1: the form is empty"),
        (b"a\tb\tc\n\xff\tb\tc\n", ":2: not UTF-8"),
        (b"", ": the file is empty"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, content: bytes, cause: str) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_rows(path)
    assert f"train.tsv{cause}" in str(caught.value)


def test_the_groups_are_the_21_of_the_paper() -> None:
    assert len(GROUP_TITLES) == 21
    assert set(GROUP_TITLES) > STRUCTURAL_GROUPS


@pytest.mark.data
def test_the_files_groups_are_those_with_a_title(data_folder: Path) -> None:
    rows = read_rows(data_folder / "cogs/gen.tsv")
    assert {row.group for row in rows} == set(GROUP_TITLES)


def test_names_in_the_wrong_case_are_left_to_the_lexicon() -> None:
    assert tokenize("EMMA SLEPT") == tokenize("emma slept") == ("emma", "slept", ".")
    assert tokenize("EMMA slept") == ("EMMA", "slept", ".")


@pytest.mark.parametrize("text", ["Who slept?", "who slept", "Who slept.", "WHAT BROKE?!"])
def test_a_question_does_not_look_like_a_statement(text: str) -> None:
    assert tokenize(text)[-1] == "?"


@pytest.mark.data
def test_the_lexicon_has_one_meaning_for_each_word(cogs_oracle: Oracle) -> None:
    lexicon = cogs_oracle.lexicon
    assert all(len(entries) == 1 for entries in lexicon.units.values())
    kinds = [entries[0].primitive.type for entries in lexicon.units.values()]
    assert [kinds.count(kind) for kind in ("Noun", "Verb", "Name")] == [406, 222, 103]
    assert set(lexicon.function_words) == {
        *("A", "The", "a", "the", "in", "on", "beside", "was", "by", "to", "that", ".")
    }


@pytest.mark.data
def test_the_unaccusative_verbs_are_those_of_lone_themes(cogs_oracle: Oracle) -> None:
    lemmas = {
        entry.primitive.symbol
        for entries in cogs_oracle.lexicon.units.values()
        for entry in entries
        if entry.primitive.feature == "theme"
    }
    assert len(lemmas) == 21
    assert {"freeze", "break", "shatter", "roll"} <= lemmas
    assert not {"eat", "squeeze", "bless", "walk"} & lemmas


@pytest.mark.data
@pytest.mark.slow
def test_lone_verbs_print_by_the_frame_that_sentences_show(cogs_train: list[Example]) -> None:
    lone = [row for row in cogs_train if row.group == "primitive"]
    assert len(lone) == 143
    # The frame must not come from the lone rows themselves.
    lexicon = COGS.words.induce([row for row in cogs_train if row.group != "primitive"], ())
    verbs = {
        entry.primitive.symbol: entry.primitive
        for entries in lexicon.units.values()
        for entry in entries
        if entry.primitive.type == "Verb"
    }
    shared = [row for row in lone if row.sentence in verbs]
    assert len(shared) > 50
    for row in shared:
        verb = COGS.words.ground(verbs[row.sentence], 0, MeaningTable(COGS.language.algebra))
        assert COGS.language.render(verb) == row.form


@pytest.mark.parametrize(
    "word", ["Zoe", "zorb", "ice-cream", "na\u00efve", "Zo\u00eb", "O'Brien", "Will"]
)
def test_a_word_of_letters_may_be_new(word: str) -> None:
    (primitive,) = COGS.words.unknown(word)
    assert primitive == Primitive("Name" if word[0].isupper() else "Noun", word)


@pytest.mark.parametrize(
    "word",
    ["@", "?", "'s", "42", "x1", "a_b", "-", "\u6f22\u5b57", "\U0001f370", "\u0434\u043e\u043c",
     "did", "Did", "What", "she", "or", "under", "will"],
)  # fmt: skip
def test_what_is_spelt_otherwise_or_of_a_closed_class_is_no_new_word(word: str) -> None:
    assert COGS.words.unknown(word) == ()


FILES = ("train", "dev", "test", "gen")


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_every_row_is_in_reach(data_folder: Path, cogs_oracle: Oracle, name: str) -> None:
    rows = corpus.read_rows(data_folder / f"cogs/{name}.tsv")
    lost = [row for row in coverage(cogs_oracle, rows) if not isinstance(row, Reached)]
    assert lost == []


@pytest.mark.data
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


@pytest.mark.data
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


@pytest.mark.data
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


@pytest.mark.data
def test_the_longest_row_stays_far_inside_the_default_budget(
    data_folder: Path, cogs_oracle: Oracle
) -> None:
    rows = corpus.read_rows(data_folder / "cogs/gen.tsv")
    longest = max(rows, key=lambda row: len(row.tokens))
    assert len(longest.tokens) >= 60
    oracle = Oracle.of(COGS, cogs_oracle.lexicon, Budget(DEFAULT_BUDGET.combinations // 100))
    assert oracle.gold_forest(longest) is not None
