"""Kinds of sentences that SLOG's training rows leave out, or show at other depths or places."""

import random
from collections.abc import Callable

from lear.benchmark import Example
from tests.support.slog_sentences import (
    MAIN,
    SUBJECTS,
    Filler,
    Inner,
    Phrase,
    Sentence,
    centre_embedded,
    clause,
    said,
    with_clause,
    with_places,
)

Say = Callable[[Sentence], object]
RELATIVE = (
    ("alone", "agent"), ("transitive", "agent"), ("changing", "theme"), ("transitive", "theme"),
    ("passive", "theme"), ("to passive", "theme"), ("object passive", "recipient"),
    ("to dative", "agent"), ("to dative", "theme"), ("double object", "theme"),
)  # fmt: skip
"""The gaps that relative clauses have in training: kind of clause, and role."""
RECIPIENT_GAP = with_clause(clause("to dative", "recipient"))


def some_relative(sentence: Sentence) -> Filler:
    """A noun with some relative clause."""
    return with_clause(clause(*sentence.rng.choice(RELATIVE)))(sentence)


def modified(sentence: Sentence) -> Filler:
    """A noun with some modifier."""
    places = with_places(sentence.rng.randint(1, 3))
    return sentence.rng.choice((places, some_relative))(sentence)


def statement(clause_of: Callable[[random.Random], Inner]) -> Say:
    """A clause with its full stop."""

    def say(sentence: Sentence) -> None:
        clause_of(sentence.rng)(sentence, "")
        sentence.say(".")

    return say


def question(words: str, clause_of: Callable[[random.Random], Inner]) -> Say:
    """A clause with a gap behind a word that asks for it, and a helping verb if there is one."""

    def say(sentence: Sentence) -> None:
        pronoun, *helpers = words.split()
        for word in (pronoun, *helpers):
            sentence.say(word)
        sentence.helper = "".join(helpers)
        clause_of(sentence.rng)(sentence, "?")
        sentence.say("?")

    return say


def _subject(rng: random.Random, phrase: Phrase) -> Inner:
    """Some clause with this subject."""
    kind = rng.choice(MAIN)
    return clause(kind, phrases={SUBJECTS.get(kind, "agent"): phrase})


def _with(role: str, phrase: Phrase, *kinds: str) -> Say:
    return statement(lambda rng: clause(rng.choice(kinds), phrases={role: phrase}))


def _simple(rng: random.Random) -> Inner:
    return clause(rng.choice(MAIN))


def _deep(depth: int) -> Say:
    return statement(lambda rng: said(depth, _simple(rng)))


def _asked(words: str, role: str, *kinds: str) -> Say:
    return question(words, lambda rng: clause(rng.choice(kinds), role))


def _long(word: str, kind: str, role: str, depth: int) -> Say:
    return question(f"{word} did", lambda _: said(depth, clause(kind, role)))


def _far(kind: str, role: str, depth: int) -> Phrase:
    """A noun with a relative clause whose gap is so deep."""
    return with_clause(said(depth, clause(kind, role)))


DATIVES = ("to dative", "double object")
KINDS: dict[str, Say] = {
    **{f"places {n} deep": _with("theme", with_places(n), "transitive", *DATIVES)
       for n in (3, 6, 12)},
    **{f"centre embedding {n} deep": _with("theme", centre_embedded(n), "transitive")
       for n in (3, 5, 8)},
    **{f"clauses {n} deep": _deep(n) for n in (3, 6, 12)},
    "centre embedding in the subject": _with("agent", centre_embedded(3), "alone", "transitive"),
    "place of the subject": statement(lambda rng: _subject(rng, with_places(rng.randint(1, 4)))),
    "place of the first object": _with("recipient", with_places(2), "double object"),
    "place of a recipient": _with("recipient", with_places(2), "to dative", "to passive"),
    "clause on the subject": statement(lambda rng: _subject(rng, some_relative)),
    "clause on the first object": _with("recipient", some_relative, "double object"),
    "clause on a recipient": _with("recipient", some_relative, "to dative", "to passive"),
    "clause on an agent behind by": _with("agent", some_relative, "passive", "to passive"),
    "recipient gap, object": _with("theme", RECIPIENT_GAP, "transitive", *DATIVES),
    "recipient gap, subject": statement(lambda rng: _subject(rng, RECIPIENT_GAP)),
    "recipient gap behind a place": _with(
        "theme", with_clause(clause("to dative", "recipient", {"theme": with_places(2)})),
        "transitive"),
    "agent gap behind by": _with("theme", with_clause(clause("passive", "agent")), "transitive"),
    "theme gap of a passive": _with(
        "theme", with_clause(clause("object passive", "theme")), "transitive"),
    "theme gap, deep": _with("theme", _far("transitive", "theme", 2), "transitive"),
    "recipient gap, deep": _with("theme", _far("to dative", "recipient", 2), "transitive"),
    "who: agent": _asked("Who", "agent", "alone", "transitive", *DATIVES),
    "who: agent of saying": question(
        "Who", lambda rng: clause("saying", "agent", inner=said(1, _simple(rng)))),
    "who: agent of wanting": _asked("Who", "agent", "wanting"),
    "what: theme that changes": _asked("What", "theme", "changing"),
    "what: theme of a passive": _asked("What", "theme", "passive", "to passive"),
    "who: recipient of a passive": _asked("Who", "recipient", "object passive"),
    "what: theme of a dative": _asked("What did", "theme", *DATIVES),
    "who: recipient": _asked("Who did", "recipient", "to dative"),
    "what: deep theme": _long("What", "transitive", "theme", 1),
    "what: deeper theme": _long("What", "transitive", "theme", 4),
    "what: deep theme of a dative": _long("What", "to dative", "theme", 1),
    "who: deep recipient": _long("Who", "to dative", "recipient", 2),
    "who: deep agent": _long("Who", "transitive", "agent", 1),
    "what: deep theme of a passive": _long("What", "passive", "theme", 2),
    "who: recipient behind was": _asked("Who was", "recipient", "to passive"),
    "who: agent behind was": _asked("Who was", "agent", "passive", "to passive"),
    "what: theme behind was": _asked("What was", "theme", "object passive"),
    "what: theme of an infinitive": question(
        "What did", lambda rng: clause("wanting", inner=_simple(rng))),
    "what: with a modified subject": question(
        "What did", lambda _: clause("transitive", "theme", {"agent": modified})),
    "who: with modified objects": question(
        "Who", lambda rng: clause(rng.choice(DATIVES), "agent",
                                  {"theme": modified, "recipient": modified})),
    "who: recipient, all modified": question(
        "Who did",
        lambda _: clause("to dative", "recipient", {"theme": modified, "agent": modified})),
    "noun phrase with places": with_places(5),
    "noun phrase with a clause": some_relative,
    "noun phrase with a recipient gap": RECIPIENT_GAP,
    "noun phrase with clauses inside": centre_embedded(4),
}  # fmt: skip
"""Name of a kind -> what says a sentence of it."""


def sentences(kind: str, count: int) -> list[Example]:
    """So many sentences of a kind, the same ones each time."""
    rows = []
    for number in range(count):
        sentence = Sentence(random.Random(f"{kind} {number}"))
        KINDS[kind](sentence)
        rows.append(Example(tuple(sentence.tokens), sentence.form, kind, f"{kind}:{number}"))
    return rows
