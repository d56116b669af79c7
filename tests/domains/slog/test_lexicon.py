"""The lexicon of SLOG: pronouns beside function words, ditransitive verbs, lemmas."""

from lear.algebra.algebra import Primitive
from lear.benchmark import Example
from lear.domains.slog import SLOG
from lear.lexicon.lexicon import Lexicon

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
