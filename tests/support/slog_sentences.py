"""Sentences of our own in SLOG's fragment, with their forms, made without lear's algebra."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lear.benchmark import Example

TRANSITIVE = ("ate eaten eat", "liked liked like", "helped helped help", "found found find",
              "painted painted paint", "cleaned cleaned clean", "hunted hunted hunt")  # fmt: skip
CHANGING = ("rolled rolled roll", "froze frozen freeze", "burned burned burn", "grew grown grow")
ALONE = ("slept - sleep", "smiled - smile", "laughed - laugh", "ran - run")
GIVING = ("gave given give", "lent lent lend", "sold sold sell", "offered offered offer",
          "sent sent send", "handed handed hand")  # fmt: skip
SAYING = ("said - say", "thought - think", "hoped - hope", "believed - believe", "liked - like")
WANTING = ("wanted - want", "tried - try", "needed - need")
NAMES = ("Emma", "Liam", "Olivia", "Noah", "Ava", "Mia", "Lucas", "William")
NOUNS = ("cake", "boy", "girl", "dog", "cat", "teacher", "donut", "box", "rose", "hedgehog")
PLACES = ("table", "house", "chair", "stage", "bed", "room", "tree")

VERBS = {
    "alone": ALONE, "transitive": TRANSITIVE + CHANGING, "changing": CHANGING,
    "to dative": GIVING, "double object": GIVING, "passive": TRANSITIVE + CHANGING,
    "to passive": GIVING, "object passive": GIVING, "saying": SAYING, "wanting": WANTING,
}  # fmt: skip
"""Kind of clause -> its verbs: past, participle, lemma."""
SUBJECTS = {"changing": "theme", "passive": "theme", "to passive": "theme",
            "object passive": "recipient"}  # fmt: skip
"""Kind of clause -> the role of its subject, if that is not the agent."""
OBJECTS = {
    "transitive": (("", "theme"),),
    "to dative": (("", "theme"), ("to", "recipient")),
    "double object": (("", "recipient"), ("", "theme")),
    "passive": (("by", "agent"),),
    "to passive": (("to", "recipient"), ("by", "agent")),
    "object passive": (("", "theme"), ("by", "agent")),
}
"""Kind of clause -> what follows its verb: the words before them, and their roles."""
MAIN = ("alone", "transitive", "changing", "to dative", "double object", "passive",
        "to passive", "object passive")  # fmt: skip


@dataclass(frozen=True)
class Filler:
    """What fills a role: its text in the form, and its place in the sentence."""

    text: str
    place: float


@dataclass
class Sentence:
    """A sentence that is being said."""

    rng: random.Random
    tokens: list[str] = field(default_factory=list)
    clauses: list[tuple[tuple[float, ...], str, bool]] = field(default_factory=list)
    helper: str = ""
    """The *did* or *was* that was said before the subject of the next verb."""

    def say(self, word: str) -> int:
        """Add a word, and return its place."""
        self.tokens.append(word)
        return len(self.tokens) - 1

    def relate(self, predicate: str, head: int, filler: Filler) -> None:
        """Note a clause with two arguments."""
        text = f"{predicate} ( x _ {head} , {filler.text} )"
        self.clauses.append(((head, filler.place), text, False))

    def gap(self, text: str) -> Filler:
        """What is missing here."""
        return Filler(text, len(self.tokens) - 0.5)

    def noun(self, nouns: tuple[str, ...] = NOUNS) -> tuple[str, int]:
        """Say a noun with its determiner; return it and its place."""
        determiner = self.rng.choice(("a", "the"))
        self.say(determiner if self.tokens else determiner.capitalize())
        lemma = self.rng.choice(nouns)
        place = self.say(lemma)
        is_definite = determiner == "the"
        text = f"{'* ' if is_definite else ''}{lemma} ( x _ {place} )"
        self.clauses.append(((place,), text, is_definite))
        return lemma, place

    @property
    def form(self) -> str:
        """Its form."""
        clauses = sorted(self.clauses)
        definites = [text + " ; " for _, text, is_definite in clauses if is_definite]
        return "".join(definites) + " AND ".join(text for _, text, is_def in clauses if not is_def)


Phrase = Callable[[Sentence], Filler]
Inner = Callable[[Sentence, str], int]
"""Says a clause whose gap, if it has one, is this text in the form; returns its verb's place."""


def plain(sentence: Sentence) -> Filler:
    """A name or a noun."""
    free = [name for name in NAMES if name not in sentence.tokens]
    if free and sentence.rng.random() < 0.4:
        name = sentence.rng.choice(free)
        return Filler(name, sentence.say(name))
    _, place = sentence.noun()
    return Filler(f"x _ {place}", place)


def with_places(count: int) -> Phrase:
    """A noun with so many prepositional phrases, each inside the one before."""

    def phrase(sentence: Sentence) -> Filler:
        lemma, first = sentence.noun()
        head = first
        for _ in range(count):
            preposition = sentence.rng.choice(("in", "on", "beside"))
            sentence.say(preposition)
            inner, place = sentence.noun(PLACES)
            sentence.relate(f"{lemma} . nmod . {preposition}", head, Filler(f"x _ {place}", place))
            lemma, head = inner, place
        return Filler(f"x _ {first}", first)

    return phrase


def with_clause(clause: Inner) -> Phrase:
    """A noun with a relative clause."""

    def phrase(sentence: Sentence) -> Filler:
        lemma, place = sentence.noun()
        sentence.say("that")
        verb = clause(sentence, f"x _ {place}")
        sentence.relate(f"{lemma} . nmod", place, Filler(f"x _ {verb}", verb))
        return Filler(f"x _ {place}", place)

    return phrase


def clause(
    kind: str,
    gap: str = "",
    phrases: Mapping[str, Phrase] | None = None,
    inner: Inner | None = None,
) -> Inner:
    """A clause of a kind.

    Args:
        kind: One of `VERBS`.
        gap: The role that is missing, if one is.
        phrases: Role -> how to say what fills it; by default it is plain.
        inner: The complement of a verb of saying; where a verb of wanting has one, the
            infinitive's theme is the gap.
    """

    def say(sentence: Sentence, missing: str) -> int:
        rng = sentence.rng
        past, participle, lemma = rng.choice(VERBS[kind]).split()
        helper, sentence.helper = sentence.helper, ""
        verb_form = lemma if helper == "did" else past

        def filler(role: str) -> Filler:
            if role == gap:
                return sentence.gap(missing)
            return (phrases or {}).get(role, plain)(sentence)

        subject_role = SUBJECTS.get(kind, "agent")
        subject = filler(subject_role)
        if "passive" in kind:
            verb_form = participle
            if helper != "was":
                sentence.say("was")
        verb = sentence.say(verb_form)
        sentence.relate(f"{lemma} . {subject_role}", verb, subject)
        for word, role in OBJECTS.get(kind, ()):
            is_wanted = role == gap or role in (phrases or {}) or word != "by"
            if is_wanted or rng.random() < 0.5:
                sentence.tokens += word.split()
                sentence.relate(f"{lemma} . {role}", verb, filler(role))
        if kind == "saying" and inner is not None:
            sentence.say("that")
            complement = inner(sentence, missing)
            sentence.relate(f"{lemma} . ccomp", verb, Filler(f"x _ {complement}", complement))
        elif kind == "wanting":
            _say_infinitive(sentence, lemma, verb, subject, missing if inner else "")
        return verb

    return say


def _say_infinitive(
    sentence: Sentence, above: str, verb: int, subject: Filler, missing_theme: str
) -> None:
    sentence.say("to")
    verbs = TRANSITIVE if missing_theme else ALONE
    lemma = sentence.rng.choice(verbs).split()[2]
    place = sentence.say(lemma)
    sentence.relate(f"{above} . xcomp", verb, Filler(f"x _ {place}", place))
    sentence.relate(f"{lemma} . agent", place, subject)
    if missing_theme:
        sentence.relate(f"{lemma} . theme", place, sentence.gap(missing_theme))


def said(depth: int, innermost: Inner) -> Inner:
    """A clause inside so many others."""
    return clause("saying", inner=said(depth - 1, innermost)) if depth else innermost


def centre_embedded(depth: int) -> Phrase:
    """A noun with so many relative clauses, each inside the subject of the one before."""
    if not depth:
        return plain
    phrases = {"agent": centre_embedded(depth - 1)}
    return with_clause(clause("transitive", "theme", phrases))


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
