"""The total algebra of COGS: chains whatever the bracketing, or heads; its lexicon."""

import random
from collections.abc import Sequence
from itertools import permutations, product
from pathlib import Path

import pytest

from lear.algebra.algebra import Meaning, MeaningTable, Primitive
from lear.benchmark import Example
from lear.domains.cogs import domain as corpus
from lear.domains.cogs._total import Events, Noun, Phrase
from lear.domains.cogs.domain import COGS, HEADS_COGS, TOTAL_COGS
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import CategoryLeaf, SentenceReader
from lear.lexicon.lexicon import UNKNOWN
from tests.support.bracketings import folds, forms_of, sample_by_size
from tests.support.congruence import check_meanings
from tests.support.small_domains import make_row
from tests.support.total_domains import total_domains
from tests.support.total_meanings import primitives_of, random_meanings

LANGUAGE = TOTAL_COGS.language


NUM_BRACKETINGS = 5
"""How many bracketings four constituents have."""


def noun(place: int, table: MeaningTable, determiner: str = "indefinite") -> Phrase:
    """The noun of the unit at tokens 3 * place and 3 * place + 1: `a n0 in a n1 in ...`."""
    grounded = TOTAL_COGS.words.ground(Primitive("Noun", f"n{place}", determiner), 3 * place, table)
    assert isinstance(grounded, Phrase)
    return grounded


def verb(place: int, table: MeaningTable, frame: str = "agent theme") -> Events:
    """A verb at token 3 * place + 2, behind the noun of the same number."""
    grounded = TOTAL_COGS.words.ground(Primitive("Verb", f"v{place}", frame), 3 * place + 2, table)
    assert isinstance(grounded, Events)
    return grounded


def form(meaning: Phrase | Events, table: MeaningTable) -> str:
    return LANGUAGE.render(LANGUAGE.finish(meaning, (), table))


def one_chain(leaves: list[Meaning], gaps: Sequence[str], table: MeaningTable) -> str:
    """The form of what four leaves come to, which is the same in any bracketing."""
    found = folds(leaves, gaps, table)
    assert len(found) == NUM_BRACKETINGS
    (chain,) = set(found)
    assert isinstance(chain, Phrase | Events)
    return form(chain, table)


def test_any_bracketing_of_modifiers_or_complements_is_one_chain() -> None:
    table = MeaningTable(LANGUAGE.algebra)
    nouns: list[Meaning] = [noun(place, table) for place in range(4)]
    for prepositions in product(("in", "on", "beside"), repeat=3):
        links = (
            f"n{place} ( x _ {3 * place + 1} ) AND "
            f"n{place} . nmod . {name} ( x _ {3 * place + 1} , x _ {3 * place + 4} )"
            for place, name in enumerate(prepositions)
        )
        shown = one_chain(nouns, [f"modify_{name}" for name in prepositions], table)
        assert shown == " AND ".join((*links, "n3 ( x _ 10 )"))
    clauses: list[Meaning] = [verb(place, table) for place in range(4)]
    for gaps in product(("ccomp", "xcomp"), repeat=3):
        links = (
            f"v{place} . {name} ( x _ {3 * place + 2} , x _ {3 * place + 5} )"
            for place, name in enumerate(gaps)
        )
        assert one_chain(clauses, gaps, table) == " AND ".join(links)


def test_subjects_and_complements_come_out_the_same_wherever_brackets_are() -> None:
    table = MeaningTable(LANGUAGE.algebra)
    leaves = [part for place in range(3) for part in (noun(place, table), verb(place, table))]
    gaps = ("fill_agent", "ccomp", "fill_agent", "ccomp", "fill_agent")
    found = folds(leaves, gaps, table)
    assert len(found) > 5
    (whole,) = set(found)
    assert isinstance(whole, Events)
    assert form(whole, table) == (
        "n0 ( x _ 1 ) AND v0 . agent ( x _ 2 , x _ 1 ) AND v0 . ccomp ( x _ 2 , x _ 5 ) AND "
        "n1 ( x _ 4 ) AND v1 . agent ( x _ 5 , x _ 4 ) AND v1 . ccomp ( x _ 5 , x _ 8 ) AND "
        "n2 ( x _ 7 ) AND v2 . agent ( x _ 8 , x _ 7 )"
    )


def test_the_order_in_which_roles_are_filled_does_not_matter() -> None:
    table = MeaningTable(LANGUAGE.algebra)
    by_name = LANGUAGE.algebra.by_name
    fillers = {"fill_agent": 0, "fill_theme": 2, "fill_recipient": 4}
    found = set()
    for order in permutations(fillers):
        meaning = verb(1, table)
        for name in order:
            phrase = noun(fillers[name], table)
            # What stands before the verb comes from the left.
            pair = (phrase, meaning) if fillers[name] == 0 else (meaning, phrase)
            result = table.apply(by_name[name], pair)
            assert isinstance(result, Events)
            meaning = result
        found.add(meaning)
    assert len(found) == 1


def test_two_objects_together_are_two_objects_one_by_one() -> None:
    table = MeaningTable(LANGUAGE.algebra)
    by_name = LANGUAGE.algebra.by_name
    first, second, given = noun(2, table), noun(3, table), verb(1, table)
    for pair, roles in {
        "recipient_theme": ("recipient", "theme"),
        "theme_recipient": ("theme", "recipient"),
        "theme_agent": ("theme", "agent"),
        "recipient_agent": ("recipient", "agent"),
    }.items():
        objects = table.apply(by_name[pair], (first, second))
        assert objects is not None
        together = table.apply(by_name["fill_objects"], (given, objects))
        one = table.apply(by_name[f"fill_{roles[0]}"], (given, first))
        assert one is not None
        assert table.apply(by_name[f"fill_{roles[1]}"], (one, second)) is together


def test_a_role_is_filled_twice_only_where_none_is_free() -> None:
    table = MeaningTable(LANGUAGE.algebra)
    by_name = LANGUAGE.algebra.by_name
    names = ["fill_agent", "fill_theme", "fill_recipient"]
    full = verb(0, table)
    for place, name in enumerate(names, start=1):
        phrase = noun(place, table)
        filled = table.apply(by_name[name], (full, phrase))
        assert isinstance(filled, Events)
        full = filled
        is_full = place == len(names)
        assert (table.apply(by_name[name], (full, phrase)) is not None) == is_full
    again = table.apply(by_name["fill_agent"], (full, noun(4, table)))
    assert isinstance(again, Events)
    assert "v0 . agent ( x _ 2 , x _ 13 )" in form(again, table)
    assert "x _ 4 " not in form(again, table)


@pytest.mark.parametrize(
    ("frame", "role"), [("agent", "agent"), ("theme", "theme"), ("agent theme", "agent")]
)
def test_the_sole_subject_of_an_unaccusative_verb_is_its_theme(frame: str, role: str) -> None:
    table = MeaningTable(LANGUAGE.algebra)
    by_name = LANGUAGE.algebra.by_name
    subject, rolled = noun(0, table), verb(0, table, frame)
    alone = table.apply(by_name["fill_agent"], (subject, rolled))
    assert isinstance(alone, Events)
    assert form(alone, table) == f"n0 ( x _ 1 ) AND v0 . {role} ( x _ 2 , x _ 1 )"
    # With a theme beside it, it is the agent of any verb.
    both = table.apply(by_name["fill_theme"], (alone, noun(1, table)))
    assert isinstance(both, Events)
    assert "v0 . agent ( x _ 2 , x _ 1 ) AND v0 . theme ( x _ 2 , x _ 4 )" in form(both, table)


def test_an_infinitive_shares_the_agent_of_the_verb_above() -> None:
    table = MeaningTable(LANGUAGE.algebra)
    leaves = [noun(0, table), verb(0, table), verb(1, table)]
    (whole,) = set(folds(leaves, ("fill_agent", "xcomp"), table))
    assert isinstance(whole, Events)
    assert form(whole, table) == (
        "n0 ( x _ 1 ) AND v0 . agent ( x _ 2 , x _ 1 ) AND v0 . xcomp ( x _ 2 , x _ 5 ) AND "
        "v1 . agent ( x _ 5 , x _ 1 )"
    )


@pytest.fixture(scope="module")
def rows(cogs_train: list[Example]) -> list[Example]:
    """Some training rows, and all that have one word."""
    return [row for row in cogs_train if row.group == "primitive"] + cogs_train[:4000]


@pytest.fixture(scope="module")
def reader(rows: list[Example]) -> SentenceReader:
    return SentenceReader(TOTAL_COGS, TOTAL_COGS.words.induce(rows, ()))


@pytest.mark.data
@pytest.mark.slow
def test_gold_of_training_rows_is_in_reach(reader: SentenceReader, rows: list[Example]) -> None:
    chosen = sample_by_size(reader, rows, largest=6, most=20)
    assert len(chosen) > 100
    for row in chosen:
        assert row.form in forms_of(reader, row.tokens), row.sentence


@pytest.mark.data
@pytest.mark.slow
def test_gold_of_generalisation_rows_is_in_reach(reader: SentenceReader, data_folder: Path) -> None:
    unseen = corpus.read_rows(data_folder / "cogs/gen.tsv")
    known = [row for row in unseen if reader.lexicon.words.issuperset(row.tokens)]
    chosen = sample_by_size(reader, random.Random(1).sample(known, 2000), largest=6, most=25)
    assert len({row.group for row in chosen}) > 10
    for row in chosen:
        assert row.form in forms_of(reader, row.tokens), row.sentence


HEADS = HEADS_COGS.language


def bracketed(kind: str, feature: str, operation: str) -> tuple[str, str]:
    """Three constituents at tokens 0, 3 and 6 as forms: bracketed to the left, and to the right."""
    table = MeaningTable(HEADS.algebra)
    first, second, third = (
        HEADS_COGS.words.ground(Primitive(kind, f"w{place}", feature), 3 * place, table)
        for place in range(3)
    )

    def joined(left: Meaning, right: Meaning) -> Meaning:
        meaning = table.apply(HEADS.algebra.by_name[operation], (left, right))
        assert meaning is not None
        return meaning

    def form(meaning: Meaning) -> str:
        return HEADS.render(HEADS.finish(meaning, (), table))

    return form(joined(joined(first, second), third)), form(joined(first, joined(second, third)))


def test_brackets_decide_which_noun_is_modified() -> None:
    to_the_left, to_the_right = bracketed("Noun", "indefinite", "modify_in")
    assert "w0 . nmod . in ( x _ 1 , x _ 4 )" in to_the_left
    assert "w0 . nmod . in ( x _ 1 , x _ 7 )" in to_the_left
    assert "w0 . nmod . in ( x _ 1 , x _ 4 )" in to_the_right
    assert "w1 . nmod . in ( x _ 4 , x _ 7 )" in to_the_right
    assert "x _ 1 , x _ 7" not in to_the_right


def test_brackets_decide_which_verb_is_complemented() -> None:
    to_the_left, to_the_right = bracketed("Verb", "agent", "ccomp")
    assert to_the_right == "w0 . ccomp ( x _ 0 , x _ 3 ) AND w1 . ccomp ( x _ 3 , x _ 6 )"
    # A verb has one complement: of two, the first stays.
    assert to_the_left == "w0 . ccomp ( x _ 0 , x _ 3 )"


def test_categories_are_a_congruence() -> None:
    small = total_domains()["cogs"]
    table = MeaningTable(HEADS.algebra)
    primitives = primitives_of(small.oracle.reader, small.sentences)
    meanings = random_meanings(HEADS_COGS, primitives, 80, table)
    categories = CategoryTable(HEADS_COGS)
    check_meanings(categories, meanings, table)
    assert categories.num_categories < len(table)


ROWS = (
    make_row("The dog slept .", "* dog ( x _ 1 ) ; sleep . agent ( x _ 2 , x _ 1 )"),
    make_row(
        "Emma saw a cake .",
        "see . agent ( x _ 1 , Emma ) AND see . theme ( x _ 1 , x _ 3 ) AND cake ( x _ 3 )",
    ),
    make_row("cake", "LAMBDA a . cake ( a )"),
)
LEXICON = TOTAL_COGS.words.induce(ROWS, ())


def phrases(sentence: str) -> dict[tuple[int, int], Noun]:
    """The nouns of a sentence by their spans."""
    reading = SentenceReader(TOTAL_COGS, LEXICON).read(tuple(sentence.split()))
    table = MeaningTable(TOTAL_COGS.language.algebra)
    found = {}
    for (begin, end, _), (primitive,) in reading.primitives.items():
        meaning = TOTAL_COGS.words.ground(primitive, begin, table)
        if isinstance(meaning, Phrase):
            (found[begin, end],) = meaning.chain
    return found


def test_a_determiner_and_its_noun_are_one_unit_at_the_place_of_the_noun() -> None:
    assert phrases("The dog saw a cake .") == {
        (0, 2): Noun(1, "dog", "definite"),
        (3, 5): Noun(4, "cake", "indefinite"),
    }


def test_any_determiner_goes_with_any_noun_and_a_noun_may_have_none() -> None:
    assert phrases("a dog") == {(0, 2): Noun(1, "dog", "indefinite")}
    assert phrases("The cake") == {(0, 2): Noun(1, "cake", "definite")}
    assert phrases("cake dog Emma") == {
        (0, 1): Noun(0, "cake", "none"),
        (1, 2): Noun(1, "dog", "none"),
        (2, 3): Noun(2, "Emma", "name"),
    }


def test_a_noun_never_seen_is_a_unit_with_its_determiner() -> None:
    assert phrases("a gumball saw The hippo .") == {
        (0, 2): Noun(1, "gumball", "indefinite"),
        (3, 5): Noun(4, "hippo", "definite"),
    }
    assert phrases("gumball Zoe") == {
        (0, 1): Noun(0, "gumball", "none"),
        (1, 2): Noun(1, "Zoe", "name"),
    }
    reader = SentenceReader(TOTAL_COGS, LEXICON)
    assert reader.read(("The", "hippo", "slept")).view == ("The", UNKNOWN, "slept")
    found = forms_of(reader, ("The", "hippo", "slept", "."))
    assert "* hippo ( x _ 1 ) ; sleep . agent ( x _ 2 , x _ 1 )" in found


def test_all_nouns_with_a_determiner_have_one_category() -> None:
    reader = SentenceReader(TOTAL_COGS, LEXICON)
    skeletons = {
        reader.read(tuple(text.split())).skeleton.leaves
        for text in ("The dog slept", "a cake slept", "The hippo slept", "a dog slept")
    }
    (leaves,) = skeletons
    assert [leaf[:2] for leaf in leaves] == [(0, 2), (2, 3)]
    assert isinstance(leaves[0], CategoryLeaf)


def test_the_rest_is_the_strict_lexicon() -> None:
    strict = COGS.words.induce(ROWS, ())
    alone = {unit: entries for unit, entries in LEXICON.units.items() if len(unit) == 1}
    assert alone == strict.units
    assert LEXICON.function_words == strict.function_words


@pytest.mark.data
@pytest.mark.slow
def test_determiners_are_read_off_training_rows(cogs_train: list[Example]) -> None:
    lexicon = TOTAL_COGS.words.induce(cogs_train[:4000], ())
    open_units = {unit: entries for unit, entries in lexicon.units.items() if UNKNOWN in unit}
    assert {unit: entries[0].primitive for unit, entries in open_units.items()} == {
        (word, UNKNOWN): Primitive("Noun", UNKNOWN, feature)
        for word, feature in {
            "a": "indefinite", "A": "indefinite", "the": "definite", "The": "definite",
        }.items()
    }  # fmt: skip
