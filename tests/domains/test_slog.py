"""SLOG: forms are exact, gaps are legal in any role at any depth, and the model generalises."""

import re
from pathlib import Path

import pytest

from lear.algebra.algebra import MeaningTable, Primitive
from lear.benchmark import Example
from lear.domains.cogs import domain as corpus
from lear.domains.cogs.forms import atoms, render_atom
from lear.domains.registry import find_benchmark
from lear.domains.slog import SLOG, tokenize
from lear.errors import FormError
from lear.evaluation.coverage import CategoryPromise, Reached, altered, coverage
from lear.evaluation.scores import evaluate
from lear.forest.oracle import Oracle
from lear.grammar.reading import SentenceReader
from lear.grammar.rules import Grammar, Rule
from lear.lexicon.lexicon import Lexicon
from tests.support.cli import Capture, lear
from tests.support.shipped import shipped
from tests.support.slog_sentences import KINDS, sentences


def test_any_file_is_a_benchmark() -> None:
    domain, benchmark = find_benchmark("slog/mine")
    assert domain.name == "slog"
    paths = [benchmark.files[part][0].path for part in ("train", "dev", "test")]
    assert paths == ["slog/train.tsv", "slog/dev.tsv", "slog/mine.tsv"]
    assert find_benchmark("slog")[1] is find_benchmark("slog/test")[1]


@pytest.mark.parametrize("content", ["", "no tabs\n"])
def test_a_file_that_is_none_is_refused(capsys: Capture, tmp_path: Path, content: str) -> None:
    (tmp_path / "slog").mkdir()
    (tmp_path / "slog/mine.tsv").write_text(content)
    for name in ("mine", "missing"):
        code, out, err = lear(capsys, "evaluate", "slog", f"slog/{name}", "--data", str(tmp_path))
        assert (code, out) == (1, "")
        assert f"{name}.tsv" in err


def test_a_file_of_ones_own_is_evaluated(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "slog").mkdir()
    rows = sentences("who: recipient", 5)
    text = "".join(f"{row.sentence}\t{row.form}\t{row.group}\n" for row in rows)
    (tmp_path / "slog/mine.tsv").write_text(text)
    code, out, _ = lear(capsys, "evaluate", "slog", "slog/mine", "--data", str(tmp_path))
    assert code == 0
    assert "slog/mine test  5  100.00 %" in out


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["train", "dev", "test"])
def test_every_row_is_read_and_printed_letter_for_letter(slog_folder: Path, name: str) -> None:
    rows = corpus.read_rows(slog_folder / f"slog/{name}.tsv")
    assert len(rows) in (32_722, 4_046)
    assert list(altered(SLOG, rows)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_of_each_kind_are_read_and_in_reach_and_understood(
    oracle: Oracle, kind: str
) -> None:
    rows = sentences(kind, 10)
    assert list(altered(SLOG, rows)) == []
    assert all(isinstance(outcome, Reached) for outcome in coverage(oracle, rows[:3]))
    score = evaluate(shipped("slog"), rows[:5]).overall
    assert (score.exact, score.n) == (5, 5)


@pytest.mark.parametrize(
    ("form", "cause"),
    [
        ("cake . nmod ( x _ 1 , x _ 3 ) AND cake ( x _ 1 )", "not a verb that can be there"),
        ("cake ( x _ 1 ) AND cake . nmod ( x _ 1 , Emma )", "unexpected clause"),
        # A relative clause without a gap.
        (
            "cake ( x _ 1 ) AND cake . nmod ( x _ 1 , x _ 3 ) AND sleep . agent ( x _ 3 , Emma )",
            "not a verb that can be there",
        ),
        # A question inside of a relative clause.
        (
            "cake ( x _ 1 ) AND cake . nmod ( x _ 1 , x _ 3 ) AND eat . agent ( x _ 3 , ? ) "
            "AND eat . theme ( x _ 3 , x _ 1 )",
            "not a noun that can be there",
        ),
        (
            "cake ( x _ 1 ) AND cake . nmod . in ( x _ 1 , x _ 3 ) AND box ( x _ 3 ) "
            "AND box . nmod . in ( x _ 3 , x _ 1 )",
            "a part of itself",
        ),
    ],
)
def test_what_is_no_form_is_refused_with_its_cause(form: str, cause: str) -> None:
    tokens = ("A", "cake", "that", "slept", "Emma")
    with pytest.raises(FormError, match=cause):
        SLOG.language.read(form, tokens, MeaningTable(SLOG.language.algebra))


def test_a_gap_stands_where_its_noun_phrase_would() -> None:
    table = MeaningTable(SLOG.language.algebra)
    tokens = ("What", "did", "Emma", "give", "Liam", "?")
    agent, recipient, theme = (
        f"give . {role} ( x _ 3 , {filler} )"
        for role, filler in (("agent", "Emma"), ("recipient", "Liam"), ("theme", "?"))
    )
    behind = SLOG.language.read(" AND ".join((agent, recipient, theme)), tokens, table)
    before = SLOG.language.read(" AND ".join((agent, theme, recipient)), tokens, table)
    assert behind is not before
    assert SLOG.language.render(behind) == " AND ".join((agent, recipient, theme))
    assert SLOG.language.render(before) == " AND ".join((agent, theme, recipient))


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        (
            "Emma gave the boy that slept a cake .",
            "* boy ( x _ 3 ) ; give . agent ( x _ 1 , Emma ) AND give . recipient ( x _ 1 , x _ 3 )"
            " AND give . theme ( x _ 1 , x _ 7 ) AND boy . nmod ( x _ 3 , x _ 5 )"
            " AND sleep . agent ( x _ 5 , x _ 3 ) AND cake ( x _ 7 )",
        ),
        (
            "Who did Emma want to give a cake to ?",
            "want . agent ( x _ 3 , Emma ) AND want . xcomp ( x _ 3 , x _ 5 )"
            " AND give . agent ( x _ 5 , Emma ) AND give . theme ( x _ 5 , x _ 7 )"
            " AND give . recipient ( x _ 5 , ? ) AND cake ( x _ 7 )",
        ),
        (
            "What did Emma see a cake on ?",
            "see . agent ( x _ 3 , Emma ) AND see . theme ( x _ 3 , x _ 5 ) AND cake ( x _ 5 )"
            " AND cake . nmod . on ( x _ 5 , ? )",
        ),
        ("the girl slept", "* girl ( x _ 1 ) ; sleep . agent ( x _ 2 , x _ 1 )"),
    ],
)
def test_a_sentence_has_its_form(sentence: str, form: str) -> None:
    assert shipped("slog")(sentence).form == form


ROWS = {
    "Emma liked a cake that Liam ate .": "like . agent ( x _ 1 , Emma ) AND "
    "like . theme ( x _ 1 , x _ 3 ) AND cake ( x _ 3 ) AND cake . nmod ( x _ 3 , x _ 6 ) AND "
    "eat . agent ( x _ 6 , Liam ) AND eat . theme ( x _ 6 , x _ 3 )",
    "Emma said that Liam slept .": "say . agent ( x _ 1 , Emma ) AND say . ccomp ( x _ 1 , x _ 4 ) "
    "AND sleep . agent ( x _ 4 , Liam )",
    "Who did Emma like ?": "like . agent ( x _ 3 , Emma ) AND like . theme ( x _ 3 , ? )",
    "Emma gave Liam a cake .": "give . agent ( x _ 1 , Emma ) AND give . recipient ( x _ 1 , Liam )"
    " AND give . theme ( x _ 1 , x _ 4 ) AND cake ( x _ 4 )",
}


def induced() -> Lexicon:
    rows = [Example(tuple(text.split()), form, "", text) for text, form in ROWS.items()]
    return SLOG.words.induce(rows, ())


def primitives(word: str) -> list[Primitive]:
    return [entry.primitive for entry in induced().units[word,]]


def test_words_for_gaps_are_units() -> None:
    assert primitives("Who") == primitives("that") == [Primitive("Pronoun", "?")]
    assert "Who" not in induced().function_words


def test_that_is_a_function_word_too() -> None:
    assert induced().function_words["that"] == 1


def test_a_verb_with_a_recipient_is_ditransitive() -> None:
    assert primitives("gave") == [Primitive("Verb", "give", "agent theme recipient")]
    assert primitives("ate") == [Primitive("Verb", "eat", "agent theme")]


def test_a_lemma_is_a_form_of_its_verb() -> None:
    assert primitives("give") == primitives("gave")
    assert primitives("say") == primitives("said")


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


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["train", "dev", "test"])
def test_rows_are_left_as_they_are(slog_folder: Path, name: str) -> None:
    for row in corpus.read_rows(slog_folder / f"slog/{name}.tsv"):
        assert tokenize(row.sentence) == row.tokens
        assert tokenize(f"\u201c{row.sentence}\u201d") == row.tokens
