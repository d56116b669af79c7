"""A stored legal table says what the domain says, and answers are the same without it."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lear.errors import DataError
from lear.forest.chart import DEFAULT_BUDGET
from lear.forest.legal_chart import legal_chart
from lear.forest.legal_closure import LegalClosure
from lear.forest.legal_table import NO_GROUP, LegalTable, categories_of
from lear.forest.legal_table_check import is_up_to_date
from lear.forest.oracle import Oracle
from lear.forest.viterbi import Viterbi
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import SentenceReader
from lear.grammar.rules import Grammar
from lear.grammar.unknown_words import UnknownWords
from lear.model import model_file as legal_table_file
from lear.model.model_file import KINDS, load_model, save_model
from lear.parser import Parser
from lear.storage.datasets import MODEL_FILE
from tests.support.random_scores import RandomScores
from tests.support.shapes import SHAPED_SENTENCES
from tests.support.shipped import SENTENCES, shipped

GEO = ("geo", "geo-query")


def closure(oracle: Oracle, symbols: list[str]) -> LegalTable:
    """The table of a grammar whose model knows these symbols."""
    reader = SentenceReader(oracle.domain, oracle.lexicon)
    leaves = sorted(reader.leaf_categories())
    table = LegalClosure(reader.categories, leaves, symbols).table()
    assert table is not None
    assert table.fault(len(oracle.domain.language.algebra.operations)) is None
    return table


def symbols_of(oracle: Oracle, sentences: Sequence[tuple[str, ...]]) -> list[str]:
    """What rules show of all that can be built in some sentences."""
    grammar = Grammar(oracle.reader.categories)
    for tokens in sentences:
        legal_chart(grammar, oracle.reader.read(tokens).skeleton)
    return sorted({symbol for rule in grammar.rules for symbol in rule.symbols})


def legal_names(table: LegalTable, *arguments: int) -> list[tuple[int, str]]:
    """Operations, and the names of what they give, as a table has them."""
    (group,) = table.find(*(np.array([number]) for number in arguments))
    if group == NO_GROUP:
        return []
    _, operation, result = table.combinations(np.array([group]))
    return [(n, table.names[r]) for n, r in zip(operation.tolist(), result.tolist(), strict=True)]


@pytest.mark.parametrize("name", GEO)
def test_a_shipped_table_says_what_the_domain_says(name: str) -> None:
    model = shipped(name).model
    table = model.legal
    assert table is not None, "written by another version: CONTRIBUTING.md, Releasing"
    domain = shipped(name).domain
    made = Parser(model).reader.categories
    plain = CategoryTable(domain)
    number = {op: n for n, op in enumerate(domain.language.algebra.by_name)}
    rng = random.Random(1)
    lefts, partners = (column.tolist() for column in table.legal_pairs())
    some: list[tuple[int, ...]] = [
        (lefts[n], partners[n]) for n in rng.sample(range(len(lefts)), 300)
    ]
    every = range(table.num_open)
    some += [(rng.choice(every), rng.choice(every)) for _ in range(300)]
    some += [(category,) for category in rng.sample(every, 100)]
    for arguments in some:
        ours = tuple(plain.number(made.example(category)) for category in arguments)
        expected = [(number[op], plain.name(result)) for op, result in plain.combinations(ours)]
        assert legal_names(table, *arguments) == expected


@pytest.mark.parametrize("name", GEO)
def test_categories_of_a_shipped_table_are_those_of_the_domain(name: str) -> None:
    model = shipped(name).model
    assert model.legal is not None
    categories = Parser(model).reader.categories
    domain = categories.domain
    for number in random.Random(2).sample(range(len(model.legal.names)), 300):
        example = categories.example(number)
        assert domain.syntax.category(example) == model.legal.names[number]
        assert categories.is_complete(number) == domain.language.algebra.is_complete(example)
        for flag in (False, True):
            symbol = domain.syntax.symbol(example, is_head=flag)
            assert categories.symbol(number, is_head=flag) == symbol
            is_open = number < model.legal.num_open
            assert is_open or symbol not in model.header.vocabulary.symbols


@pytest.mark.parametrize("name", GEO)
def test_answers_are_the_same_without_a_table(name: str) -> None:
    model = shipped(name).model
    texts = [*SENTENCES[name], "texas texas texas", "what is the zorkest state of frobland"]
    texts += ["which state has the most lakes", "which lake is the biggest in alaska"]
    policies: tuple[UnknownWords, ...] = ("refuse", "overlook")
    for policy in policies:
        one = Parser(model, unknown_words=policy)
        other = Parser(replace(model, legal=None), unknown_words=policy)
        for ours, theirs in zip(one.pipe(texts), other.pipe(texts), strict=True):
            assert (ours.form, ours.reason) == (theirs.form, theirs.reason)
            if ours.form is not None:
                assert ours.score == pytest.approx(theirs.score, abs=1e-4)
                assert ours.probability == pytest.approx(theirs.probability, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_search_finds_the_same_with_a_table(
    ambiguous_oracle: Oracle, step: int, seed: int
) -> None:
    """Also where the model knows some symbols only: what has others may be part of an answer."""
    domain, lexicon = ambiguous_oracle.domain, ambiguous_oracle.lexicon
    symbols = symbols_of(ambiguous_oracle, SHAPED_SENTENCES)[::step]
    table = closure(ambiguous_oracle, symbols)
    score = RandomScores(seed)
    for tokens in SHAPED_SENTENCES:
        found = []
        for legal in (None, table):
            reader = SentenceReader(domain, lexicon, categories_of(domain, legal, symbols))
            reader.leaf_categories()  # all else is built of these
            skeleton = reader.read(tokens).skeleton
            grammar = Grammar(reader.categories)
            viterbi = Viterbi(grammar, score, DEFAULT_BUDGET, legal=legal)
            ways = viterbi.search(skeleton).ways()
            names = {(w.score, w.begin, w.end, reader.categories.name(w.category)) for w in ways}
            found.append(names)
        assert found[0] == found[1]


def test_what_has_no_known_symbol_is_closed(toy_oracle: Oracle) -> None:
    symbols = symbols_of(toy_oracle, SHAPED_SENTENCES)
    full, none = closure(toy_oracle, symbols), closure(toy_oracle, [])
    assert 0 < full.num_open <= len(full.names)
    assert none.num_open == 0
    assert set(none.names) <= set(full.names)
    assert legal_names(none, 0, 0) == []


def test_a_model_is_saved_with_its_table_and_read_with_it(tmp_path: Path) -> None:
    shipped("geo").save_pretrained(tmp_path)
    before, after = shipped("geo").model.legal, load_model(tmp_path / MODEL_FILE).legal
    assert before is not None
    assert after is not None
    assert before.names == after.names
    for name in KINDS:
        np.testing.assert_array_equal(getattr(before, name), getattr(after, name))


def test_only_the_version_that_made_a_table_uses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(legal_table_file, "__version__", "0.0.1")
    shipped("geo").save_pretrained(tmp_path)
    monkeypatch.undo()
    assert load_model(tmp_path / MODEL_FILE).legal is None


def test_a_saved_table_tells_the_code_that_it_was_worked_out_with(tmp_path: Path) -> None:
    shipped("geo").save_pretrained(tmp_path)
    table = load_model(tmp_path / MODEL_FILE).legal
    assert table is not None
    assert is_up_to_date(table, shipped("geo").domain)
    assert not is_up_to_date(replace(table, code="other"), shipped("geo").domain)
    assert not is_up_to_date(replace(table, code=""), shipped("geo").domain)


def other_names(table: LegalTable) -> LegalTable:
    return replace(table, names=(*table.names[:-1], "a type that there was before"))


def other_completeness(table: LegalTable) -> LegalTable:
    return replace(table, is_complete=~table.is_complete)


def other_symbols(table: LegalTable) -> LegalTable:
    return replace(table, head_symbol=table.head_symbol[::-1].copy())


def other_operations(table: LegalTable) -> LegalTable:
    return replace(table, operation=(table.operation.max() - table.operation).astype(np.uint16))


def fewer_pairs(table: LegalTable) -> LegalTable:
    """As if hardly anything had been legal then."""
    num_partners = np.zeros_like(table.num_partners)
    num_partners[0] = table.num_partners[0]
    stay = int(table.num_partners[0])
    return replace(
        table,
        num_partners=num_partners,
        partner=table.partner[:stay],
        group=table.group[:stay],
    )


@pytest.mark.parametrize(
    "change",
    [other_names, other_completeness, other_symbols, other_operations, fewer_pairs],
)
def test_a_table_of_other_types_is_not_used(
    change: Callable[[LegalTable], LegalTable],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As when somebody changes the types of a domain and goes on with a model made before."""
    model = shipped("geo").model
    assert model.legal is not None
    save_model(tmp_path / "m", replace(model, legal=replace(change(model.legal), code="before")))
    parser = Parser(load_model(tmp_path / "m"))
    assert parser.model.legal is None
    assert capsys.readouterr().err.count("has changed since the model was made") == 1
    texts = SENTENCES["geo"]
    expected = [parse.form for parse in shipped("geo").pipe(texts)]
    assert [parse.form for parse in parser.pipe(texts)] == expected
    parser.save_pretrained(tmp_path)  # and then it is a model of the types that there are
    again = Parser.from_pretrained(tmp_path)
    assert again.model.legal is not None
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("code", ["", "before"])
def test_a_table_that_still_holds_is_used_whatever_the_code_was(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As when a comment changes, or where a model was saved without a fingerprint."""
    model = shipped("geo").model
    assert model.legal is not None
    assert Parser(replace(model, legal=replace(model.legal, code=code))).model.legal is not None
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("column", sorted(KINDS))
@pytest.mark.parametrize("change", ["shorter", "larger"])
def test_an_unsound_table_is_refused(tmp_path: Path, column: str, change: str) -> None:
    model = shipped("geo").model
    assert model.legal is not None
    values = getattr(model.legal, column).copy()
    if change == "shorter":
        values = values[:-1]
    elif column in ("is_complete", "argument_symbol", "head_symbol"):
        pytest.skip("every value has a meaning")
    else:
        values[-1] = np.iinfo(values.dtype).max
    save_model(tmp_path / "m", replace(model, legal=replace(model.legal, **{column: values})))
    with pytest.raises(DataError, match="legal table"):
        load_model(tmp_path / "m")
