"""COGS forms: string-exact on the real rows, read whatever the order, refused with their cause."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import Meaning, MeaningTable
from lear.domains.cogs import domain as corpus
from lear.domains.cogs.algebra import (
    Clause,
    Entity,
    Infinitive,
    Name,
    NounPhrase,
    Preposition,
    Sentence,
    children,
)
from lear.domains.cogs.domain import COGS, without_positions
from lear.domains.cogs.forms import PREPOSITIONS
from lear.errors import FormError
from lear.evaluation.coverage import altered

FILES = ("train", "dev", "test", "gen", "gen_original")


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_every_row_is_read_and_printed_letter_for_letter(data_folder: Path, name: str) -> None:
    rows = corpus.read_rows(data_folder / f"cogs/{name}.tsv")
    assert len(rows) in (24_155, 3_000, 21_000)
    assert list(altered(COGS, rows)) == []


@pytest.mark.data
@pytest.mark.parametrize("name", FILES)
def test_reading_does_not_depend_on_the_order_of_clauses(data_folder: Path, name: str) -> None:
    rng = random.Random(name)
    rows = corpus.read_rows(data_folder / f"cogs/{name}.tsv")
    for row in rng.sample(rows, 300):
        *definites, rest = row.form.split(" ; ")
        clauses = rest.split(" AND ")
        if "LAMBDA" in rest:
            continue
        rng.shuffle(definites)
        rng.shuffle(clauses)
        table = MeaningTable(COGS.language.algebra)
        shuffled = COGS.language.read(
            " ; ".join((*definites, " AND ".join(clauses))), row.tokens, table
        )
        assert COGS.language.render(shuffled) == row.form


LEMMAS = st.sampled_from(["cake", "dog", "girl"])


@st.composite
def noun_phrases(draw: st.DrawFn, table: MeaningTable, position: int) -> tuple[NounPhrase, int]:
    """A phrase that starts at a position, and the position after it."""
    if draw(st.booleans()):
        name = draw(st.sampled_from(["Emma", "Liam"]))
        return table.intern(Name(position, name)), position + 1
    head = position + 1
    lemma, definite = draw(LEMMAS), draw(st.booleans())
    end = head + 1
    modifiers: list[tuple[Preposition, NounPhrase]] = []
    if draw(st.integers(0, 2)) == 0:
        place, end = draw(noun_phrases(table, head + 2))
        modifiers.append((draw(st.sampled_from(PREPOSITIONS)), place))
    return table.intern(Entity(head, lemma, definite, tuple(modifiers))), end


@st.composite
def events(
    draw: st.DrawFn, table: MeaningTable, position: int, *, controlled: bool
) -> tuple[Meaning, int]:
    """A clause, or an infinitive without its agent, and the position after it."""
    agent: NounPhrase | None = None
    if not controlled:
        agent, position = draw(noun_phrases(table, position))
    verb, end = position, position + 1
    theme = clause = infinitive = None
    match draw(st.sampled_from(["none", "theme", "clause", "infinitive"])):
        case "theme":
            theme, end = draw(noun_phrases(table, end))
        case "clause":
            clause, end = draw(events(table, end + 1, controlled=False))
        case "infinitive":
            infinitive, end = draw(events(table, end + 1, controlled=True))
    kind = Infinitive if controlled else Clause
    event = kind(verb, "see", agent, theme, None, clause, infinitive)  # type: ignore[arg-type]
    return table.intern(event), end


@given(st.data())
def test_any_meaning_reads_back_from_its_own_form(choice: st.DataObject) -> None:
    table = MeaningTable(COGS.language.algebra)
    clause, end = choice.draw(events(table, 0, controlled=False))
    sentence = table.intern(Sentence(clause))  # type: ignore[arg-type]
    tokens = ["-"] * end
    stack: list[Meaning] = [sentence]
    while stack:
        part = stack.pop()
        if isinstance(part, Name):
            tokens[part.position] = part.name
        stack.extend(children(part))
    assert COGS.language.read(COGS.language.render(sentence), tokens, table) is sentence


@pytest.mark.parametrize(
    ("form", "cause"),
    [
        ("", "not a clause"),
        ("two words", "not a clause"),
        ("LAMBDA a . cake ( a )", "not a clause"),
        ("Emma", "not a clause"),
        ("eat . agent ( x _ 99999999 , Emma )", "no token"),
        ("eat . agent ( x _ 1 , Emma", "not a clause"),
        ("eat . agent ( x _ 1 , Emma ) AND ", "not a clause"),
        ("eat . agent ( x _ 1 , Liam )", "too few words 'Liam'"),
        ("eat . agent ( x _ 1 , Emma ) AND eat . theme ( x _ 1 , Emma )", "too few words 'Emma'"),
        ("eat . agent ( x _ 1 , x _ 0 )", "x _ 0"),
        ("eat . agent ( Emma , x _ 1 )", "first argument"),
        ("eat . friend ( x _ 1 , Emma )", "unexpected clause"),
        ("cake . nmod . of ( x _ 1 , x _ 4 )", "unexpected clause"),
        ("eat . agent ( x _ 1 , Emma ) ; cake ( x _ 3 )", "misplaced definite"),
        ("* eat . agent ( x _ 1 , Emma ) ; cake ( x _ 3 )", "only nouns are definite"),
        ("eat . agent ( x _ 1 , Emma ) AND cake ( x _ 3 )", "not connected"),
        ("eat . ccomp ( x _ 1 , x _ 1 )", "found 0"),
        ("eat . ccomp ( x _ 1 , x _ 3 ) AND see . ccomp ( x _ 3 , x _ 1 )", "found 0"),
        ("eat . agent ( x _ 1 , Emma ) AND see . theme ( x _ 2 , x _ 1 )", "found 2"),
        ("cake ( x _ 1 ) AND eat . agent ( x _ 1 , Emma )", "contradicts"),
        ("eat . theme ( x _ 1 , x _ 3 ) AND cake ( x _ 3 ) AND cake ( x _ 3 )", "taken already"),
        (
            "want . agent ( x _ 1 , Emma ) AND want . xcomp ( x _ 1 , x _ 2 ) "
            "AND eat . theme ( x _ 2 , x _ 3 ) AND cake ( x _ 3 )",
            "does not share the agent",
        ),
    ],
)
def test_what_is_not_a_form_is_refused_with_its_cause(form: str, cause: str) -> None:
    with pytest.raises(FormError, match=cause.replace("_", ".")):
        COGS.language.read(
            form, ("Emma", "ate", "a", "cake", "."), MeaningTable(COGS.language.algebra)
        )


@pytest.mark.parametrize("form", ["Liam", "LAMBDA a . ( ( a )", "LAMBDA a . LAMBDA e . fly", ""])
def test_what_is_not_the_form_of_a_lone_word_is_refused(form: str) -> None:
    with pytest.raises(FormError, match="lambda form"):
        COGS.language.read(form, ("Emma",), MeaningTable(COGS.language.algebra))


PIECES = ["Emma", "Liam", "cake", "eat", "x _ 0", "x _ 1", "x _ 3", "x _ 9", "agent", "nmod", "in",
          "xcomp", "(", ")", ",", ".", ";", "AND", "*", "LAMBDA", "a", "e"]  # fmt: skip
CLAUSES = st.one_of(
    st.builds("{} . {} ( {} , {} )".format, st.sampled_from(["eat", "see"]),
              st.sampled_from(["agent", "theme", "ccomp", "xcomp", "nmod . in"]),
              st.sampled_from(["x _ 0", "x _ 1", "x _ 2"]),
              st.sampled_from(["x _ 0", "x _ 1", "x _ 2", "Emma", "Liam"])),
    st.builds("cake ( {} )".format, st.sampled_from(["x _ 0", "x _ 1", "x _ 2"])),
)  # fmt: skip


@given(st.one_of(
    st.lists(st.sampled_from(PIECES)).map(" ".join),
    st.lists(CLAUSES, min_size=1, max_size=6).map(" AND ".join),
))  # fmt: skip
def test_any_text_is_read_or_refused(form: str) -> None:
    tokens = ("Emma", "ate", "Liam", "cake", "Emma")
    try:
        meaning = COGS.language.read(form, tokens, MeaningTable(COGS.language.algebra))
    except FormError:
        return
    assert sorted(COGS.language.render(meaning).split(" AND ")) == sorted(set(form.split(" AND ")))


def skeleton(form: str, sentence: str) -> object:
    meaning = COGS.language.read(form, sentence.split(), MeaningTable(COGS.language.algebra))
    return without_positions(meaning)


def test_the_domain_compares_leniently() -> None:
    assert COGS.metrics.lenient is without_positions


def test_lenient_ignores_definiteness_and_positions_and_nothing_else() -> None:
    base = skeleton(
        "* cake ( x _ 3 ) ; eat . agent ( x _ 1 , Emma ) AND eat . theme ( x _ 1 , x _ 3 )",
        "Emma ate the cake .",
    )
    assert base == skeleton(
        "eat . agent ( x _ 2 , Emma ) AND eat . theme ( x _ 2 , x _ 5 ) AND cake ( x _ 5 )",
        "- Emma ate - a cake .",
    )
    swapped_role = (
        "* cake ( x _ 3 ) ; eat . agent ( x _ 1 , Emma ) AND eat . recipient ( x _ 1 , x _ 3 )"
    )
    other_verb = "* cake ( x _ 3 ) ; see . agent ( x _ 1 , Emma ) AND see . theme ( x _ 1 , x _ 3 )"
    for wrong in (swapped_role, other_verb):
        assert skeleton(wrong, "Emma ate the cake .") != base


def test_lenient_keeps_what_modifies_what() -> None:
    roles = "eat . agent ( x _ 1 , Emma ) AND eat . theme ( x _ 1 , x _ 3 ) AND cake ( x _ 3 )"
    box = "cake . nmod . in ( x _ 3 , x _ 6 ) AND box ( x _ 6 ) AND table ( x _ 9 )"
    sentence = "Emma ate a cake in a box on a table ."
    inner = skeleton(f"{roles} AND {box} AND box . nmod . on ( x _ 6 , x _ 9 )", sentence)
    outer = skeleton(f"{roles} AND {box} AND cake . nmod . on ( x _ 3 , x _ 9 )", sentence)
    assert inner != outer


def test_lenient_keeps_prepositions_and_kinds_of_complement() -> None:
    roles = "eat . agent ( x _ 1 , Emma ) AND eat . theme ( x _ 1 , x _ 3 ) AND cake ( x _ 3 )"
    places = [
        skeleton(
            f"{roles} AND cake . nmod . {preposition} ( x _ 3 , x _ 6 ) AND box ( x _ 6 )",
            "Emma ate a cake - a box .",
        )
        for preposition in PREPOSITIONS
    ]
    assert len(set(places)) == 3
    said = (
        "say . agent ( x _ 1 , Emma ) AND say . {0} ( x _ 1 , x _ 3 ) "
        "AND eat . agent ( x _ 3 , Emma )"
    )
    complements = [
        skeleton(said.format(kind), "Emma said Emma ate .") for kind in ("ccomp", "xcomp")
    ]
    assert len(set(complements)) == 2
