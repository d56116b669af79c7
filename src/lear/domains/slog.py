"""SLOG: the language of COGS with questions and relative clauses, built on the domain COGS.

In "a cake that Emma ate" and "What did Emma eat ?" the theme of *eat* is a gap. A gap is a noun
phrase: each operation of COGS that takes one has a counterpart that takes a gap, and everything
else keeps a gap that is inside its arguments, at any depth. *Who*, *what* and the *that* of
relative clauses stand for the gap. They are the subject themselves, or stand before a clause with a
gap (`front`); either makes a `WhClause`, which modifies a noun or is asked.

What a gap is depends on where its clause ends up: the noun that the clause modifies, or what the
question asks for. So meanings with gaps need no variables, and have at most one. Forms are those of
COGS: relative clauses are `nmod`, and what a question asks for is `?`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import msgspec

from lear.algebra.algebra import Algebra, Meaning, MeaningTable, Primitive
from lear.algebra.meanings import parts
from lear.benchmark import Benchmark, Example, Gazetteer
from lear.domain import Corpus, Domain, Language, Metrics, RuleParts, Syntax
from lear.domains.cogs import domain as cogs
from lear.domains.cogs import words as cogs_words
from lear.domains.cogs.algebra import (
    BEFORE_VERB,
    COGS_ALGEBRA,
    Clause,
    Entity,
    Event,
    Frame,
    Gap,
    Infinitive,
    InvertedClause,
    Name,
    NounPhrase,
    Objects,
    Pronoun,
    Question,
    Verb,
    WhClause,
    arguments,
    closed,
    filled,
    modified,
)
from lear.domains.cogs.forms import LABELS, ROLES, read, render
from lear.lexicon.lexicon import Lexicon
from lear.storage.datasets import DataFile


def tokenize(text: str) -> tuple[str, ...]:
    """`who slept` -> Who slept ?; `the cake in a box` as it is.

    SLOG has noun phrases by themselves, without a mark at the end. So text that begins with a
    determiner gets no full stop: it may be a noun phrase.
    """
    tokens = cogs_words.tokenize(text)
    if len(tokens) < 2:
        return tokens
    if tokens[-1] == "?":
        return (tokens[0].capitalize(), *tokens[1:])
    first, *_, last = cogs_words.words_and_ends(text)
    if last in cogs_words.ENDS or tokens[0].lower() not in cogs_words.DETERMINERS:
        return tokens
    is_capitalised = first[:1].isupper()
    return (tokens[0] if is_capitalised else tokens[0].lower(), *tokens[1:-1])


SUBJECT = Gap(BEFORE_VERB)


def pronoun_as_agent(pronoun: Pronoun, verb: Verb) -> WhClause | None:
    """`(a dog) that slept  =>  sleep . agent ( x _ 1 , ? )`."""
    del pronoun
    return closed(filled(verb, agent=SUBJECT), WhClause)


def pronoun_as_theme(pronoun: Pronoun, verb: Verb) -> WhClause | None:
    """`(a dog) that was seen  =>  see . theme ( x _ 2 , ? )`."""
    del pronoun
    return closed(filled(verb, theme=SUBJECT), WhClause)


def pronoun_as_recipient(pronoun: Pronoun, verb: Verb) -> WhClause | None:
    """`(a dog) that was given a cake  =>  give . recipient ( x _ 2 , ? )`."""
    del pronoun
    return closed(filled(verb, recipient=SUBJECT), WhClause)


def front(pronoun: Pronoun, clause: Clause) -> WhClause | None:
    """`What did Emma eat  =>  eat . theme ( x _ 3 , ? )`.

    The word stands for the gap of the clause, wherever in it that is.
    """
    del pronoun
    return closed(clause, WhClause) if clause.has_gap else None


def front_inverted(pronoun: Pronoun, clause: InvertedClause) -> WhClause | None:
    """`Who was a cake given to  =>  give . recipient ( x _ 4 , ? )`."""
    del pronoun
    return closed(clause, WhClause)


def modify_by_clause(entity: Entity, clause: WhClause) -> Entity:
    """`a dog that slept  =>  dog . nmod ( x _ 1 , x _ 3 )`."""
    return msgspec.structs.replace(entity, modifiers=(*entity.modifiers, ("that", clause)))


def ask(clause: WhClause) -> Question:
    """`Who slept ?  =>  sleep . agent ( x _ 1 , ? )`."""
    return Question(clause)


def subject_as_agent_theme_gap(subject: NounPhrase, verb: Verb) -> Clause | None:
    """`(What did) Emma eat  =>  eat . agent ( x _ 1 , Emma )`."""
    return closed(filled(_with_theme_gap(verb), agent=subject), Clause)


def subject_as_recipient_theme_gap(subject: NounPhrase, verb: Verb) -> Clause | None:
    """`(a cake that) Emma was given  =>  give . recipient ( x _ 2 , Emma )`."""
    # With an agent behind *by*, the gap came before that.
    return closed(filled(_with_theme_gap(verb), ("agent",), recipient=subject), Clause)


def subject_as_agent_recipient_gap(subject: NounPhrase, verb: Verb) -> Clause | None:
    """`(Who did) Emma give a cake  =>  give . agent ( x _ 1 , Emma )`."""
    if verb.theme is None:
        return None
    return closed(filled(verb, recipient=Gap(verb.position), agent=subject), Clause)


def invert_theme(subject: NounPhrase, verb: Verb) -> InvertedClause | None:
    """`(Who was) a cake given to  =>  give . theme ( x _ 2 , x _ 1 )`."""
    return closed(filled(verb, theme=subject), InvertedClause) if verb.has_gap else None


def invert_recipient(subject: NounPhrase, verb: Verb) -> InvertedClause | None:
    """`(What was) Emma given  =>  give . recipient ( x _ 1 , Emma )`."""
    with_gap = verb if verb.has_gap else _with_theme_gap(verb)
    return closed(filled(with_gap, recipient=subject), InvertedClause)


def take_agent_theme_gap(verb: Verb, agent: NounPhrase) -> Verb | None:
    """`(a cake that Emma was) given by Liam  =>  give . agent ( x _ 0 , Liam )`."""
    return filled(_with_theme_gap(verb), agent=agent)


def make_infinitive_theme_gap(verb: Verb) -> Infinitive | None:
    """`(What did Emma want) to eat  =>  eat . theme ( x _ 1 , ? )`."""
    return None if verb.agent is not None else closed(_with_theme_gap(verb), Infinitive)


def _with_theme_gap(verb: Verb) -> Verb | None:
    # A bare theme stands next to its verb. A verb with a clause has that in place of a theme.
    return filled(verb, ("clause", "infinitive"), theme=Gap(verb.position))


def take_recipient_theme_gap(verb: Verb, recipient: NounPhrase) -> Verb | None:
    """`(a cake that Liam) gave Emma  =>  give . recipient ( x _ 0 , Emma )`.

    Two bare objects, of which the second is missing.
    """
    return filled(verb, recipient=recipient, theme=Gap(recipient.position))


def take_recipient_gap(verb: Verb) -> Verb | None:
    """`(Who did Liam) give a cake to  =>  give . theme ( x _ 0 , x _ 2 )`."""
    return filled(verb, recipient=_gap_behind(verb))


def take_agent_gap(verb: Verb) -> Verb | None:
    """`(a dog that a cake was) eaten by  =>  eat . agent ( x _ 0 , ? )`."""
    return filled(verb, agent=_gap_behind(verb))


def _gap_behind(verb: Verb) -> Gap:
    """Return a gap behind all that a verb has so far; its subject, before it, comes later."""
    said = (argument.position for argument in arguments(verb) if not isinstance(argument, Gap))
    return Gap(max((verb.position, *said)))


def modify_in_gap(entity: Entity) -> Entity | None:
    """`(a box that) a cake in  =>  cake . nmod . in ( x _ 1 , ? )`."""
    return modified(entity, "in", _gap_at(entity))


def modify_on_gap(entity: Entity) -> Entity | None:
    """`(a table that) a cake on  =>  cake . nmod . on ( x _ 1 , ? )`."""
    return modified(entity, "on", _gap_at(entity))


def modify_beside_gap(entity: Entity) -> Entity | None:
    """`(a chair that) a cake beside  =>  cake . nmod . beside ( x _ 1 , ? )`."""
    return modified(entity, "beside", _gap_at(entity))


def _gap_at(entity: Entity) -> Gap:
    places = (place for _, place in entity.modifiers if not isinstance(place, Gap))
    return Gap(max((place.position for place in places), default=entity.position))


def take_wh_clause(verb: Verb, clause: WhClause) -> Verb | None:
    """`(Who did Emma) say that slept  =>  say . ccomp ( x _ 0 , x _ 2 )`.

    Its *that* is both the word before the clause and a subject that is elsewhere.
    """
    return filled(verb, ("infinitive",), clause=clause) if lacks_subject(clause) else None


def lacks_subject(clause: WhClause) -> bool:
    """Return whether the gap of a clause is its own subject."""
    return SUBJECT in (clause.agent, clause.theme, clause.recipient)


def is_complete(meaning: Meaning) -> bool:
    """Return whether a meaning is a sentence, marked or not, a noun phrase or a lone word."""
    if isinstance(meaning, Entity | Clause):
        return not meaning.has_gap
    return isinstance(meaning, Question) or COGS_ALGEBRA.is_complete(meaning)


OPERATIONS = (
    pronoun_as_agent, pronoun_as_theme, pronoun_as_recipient, front, front_inverted,
    modify_by_clause, ask, subject_as_agent_theme_gap, subject_as_recipient_theme_gap,
    subject_as_agent_recipient_gap, invert_theme, invert_recipient, take_agent_theme_gap,
    make_infinitive_theme_gap, take_recipient_theme_gap, take_recipient_gap, take_agent_gap,
    modify_in_gap, modify_on_gap, modify_beside_gap, take_wh_clause,
)  # fmt: skip
"""What SLOG has beside the operations of COGS."""

SLOG_ALGEBRA = Algebra.of(
    "slog", (*(op.function for op in COGS_ALGEBRA.operations), *OPERATIONS), is_complete
)


# What a grammar sees of meanings is what it sees of COGS, and gaps where they decide. A clause
# without a gap is no relative clause, so categories tell gaps. Rules do not show them, so that a
# phrase is put together as it is without. Of verbs a grammar also sees whether they are
# ditransitive: in "gave the boy that slept a cake" the cake belongs to the verb that takes two.

HEADS = {
    operation: index
    for operation, index in cogs.heads_of(SLOG_ALGEBRA).items()
    if not operation.startswith("make_infinitive")
}
"""Operation -> the index of its head. A verb phrase that becomes an infinitive is finished, so that
what it has does not matter there."""

SAID_NOUN_PHRASE = "[NounPhrase]"
ALIKE = {
    **{f"pronoun_as_{role}": f"subject_as_{role}" for role in ROLES},
    "make_infinitive_theme_gap": "make_infinitive",
}
"""Operation on a gap -> the same on a noun phrase, where rules show no difference."""
WITH_LAST_GAP = {
    f"{operation}_gap": operation
    for operation in ("take_recipient", "take_agent", "modify_in", "modify_on", "modify_beside")
}
"""Operation on a gap behind a preposition -> the same on a noun phrase that is said there."""
WITH_THEME_GAP = {
    f"{operation}_theme_gap": operation for operation in ("subject_as_recipient", "take_agent")
}
"""Operation on a verb whose theme is a gap -> the same on a verb that has its theme."""
INVERTED = {"invert_theme": "subject_as_theme", "invert_recipient": "subject_as_recipient"}
"""Operation on a passive without its *was* -> the same with it."""


def category(meaning: Meaning) -> str:
    """Return type, arguments and whether there is a gap: `Ditransitive+theme/gap`, `Clause/gap`."""
    if isinstance(meaning, WhClause):
        return "WhClause/subject" if lacks_subject(meaning) else "WhClause"
    has_gap = isinstance(meaning, Entity | Event | Objects) and meaning.has_gap
    return head_symbol(meaning) + ("/gap" if has_gap else "")


def head_symbol(meaning: Meaning) -> str:
    """Return what `category` gives for a meaning without gaps."""
    if isinstance(meaning, Verb) and meaning.frame == "agent theme recipient":
        return cogs.category(meaning).replace("Verb", "Ditransitive", 1)
    return cogs.category(meaning)


def argument_symbol(meaning: Meaning) -> str:
    """Return `NounPhrase` for entities, names and words that stand for gaps, else the type."""
    if isinstance(meaning, Entity | Name | Pronoun):
        return "NounPhrase"
    return type(meaning).__name__


def scored_as(rule: RuleParts) -> RuleParts:
    """Return, for a rule with a gap, the rule where the noun phrase is said.

    Training shows few kinds of gaps. But a gap is a noun phrase: `[Ditransitive+theme] to` with a
    gap is what `[Ditransitive+theme] to [NounPhrase]` is without.
    """
    operation, parts = rule
    if operation in ALIKE:
        return ALIKE[operation], parts
    if operation in WITH_LAST_GAP:
        return WITH_LAST_GAP[operation], (*parts, SAID_NOUN_PHRASE)
    if operation in WITH_THEME_GAP:
        return WITH_THEME_GAP[operation], tuple(map(_with_theme, parts))
    if operation in INVERTED and len(parts) == 2:
        subject, verb = parts
        has_theme = operation == "invert_recipient"
        return INVERTED[operation], (subject, "was", _with_theme(verb) if has_theme else verb)
    if rule == ("front_inverted", (SAID_NOUN_PHRASE, "was", "[InvertedClause]")):
        return "front", (SAID_NOUN_PHRASE, "did", "[Clause]")
    if operation == "take_wh_clause" and len(parts) == 2:
        return "take_clause", (parts[0], "that", "[Clause]")
    return rule


def _with_theme(part: str) -> str:
    """Add a theme to a verb's symbol: `[Verb+recipient]` -> `[Verb+theme+recipient]`."""
    kind, *labels = part[1:-1].split("+")
    if kind not in ("Verb", "Unaccusative", "Ditransitive") or "theme" in labels:
        return part
    return f"[{'+'.join((kind, *sorted((*labels, 'theme'), key=LABELS.index)))}]"


# The lexicon comes from training rows alone. It is that of COGS, with pronouns and ditransitive
# verbs. The lemma of a verb is a form of it, whether training shows that or not: questions have
# lemmas (What did Emma give ?).

PRONOUN = "Pronoun"


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """Return the meaning of a primitive at a token position."""
    if primitive.type == PRONOUN:
        return table.intern(Pronoun())
    return cogs_words.ground(primitive, position, table)


def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """Return the lexicon of training rows: units with their primitives, and function words."""
    del gazetteer
    return _Evidence.of(examples).lexicon()


class _Evidence(cogs_words.Evidence):
    """Counts over training rows."""

    def __init__(self) -> None:
        super().__init__()
        self.recipients: Counter[str] = Counter()
        """Lemma -> uses with a recipient."""

    def add(self, tokens: Sequence[str], meaning: Meaning) -> None:
        """Count one row."""
        super().add(tokens, meaning)
        for position in _pronouns(meaning):
            self.units[tokens[position], PRONOUN, "?"] += 1
            self.words[tokens[position]] -= 1
        for part in parts(meaning):
            if isinstance(part, Event) and part.recipient is not None:
                self.recipients[part.lemma] += 1

    def frame(self, lemma: str) -> Frame:
        """Return a verb's frame, as in COGS, or ditransitive."""
        frame = super().frame(lemma)
        is_ditransitive = frame == "agent theme" and self.recipients[lemma]
        return "agent theme recipient" if is_ditransitive else frame

    def lexicon(self) -> Lexicon:
        """Return the lexicon of the rows counted so far."""
        self.words = +self.words  # without words that are nothing but pronouns
        for lemma in {lemma for _, kind, lemma in self.units if kind == "Verb"}:
            self.units[lemma, "Verb", lemma] += not self.units[lemma, "Verb", lemma]
        return super().lexicon()


def _pronouns(meaning: Meaning) -> Iterator[int]:
    """Give the positions of words that stand for gaps, as far as they are sure."""
    if isinstance(meaning, Question):
        yield 0
    for part in parts(meaning):
        if isinstance(part, Entity) and part.modifiers and part.modifiers[0][0] == "that":
            yield part.position + 1


ADVICE = (
    "SLOG publishes forms without variables and a converter to COGS forms: put train.tsv, dev.tsv "
    "and test.tsv (sentence, form, group) into the folder slog; see docs/slog.md"
)


def benchmark_named(name: str) -> Benchmark:
    """Return `slog/NAME`: train.tsv and dev.tsv, with NAME.tsv to test on."""
    test = name.removeprefix("slog/")
    of_test = "test set from the distribution of train"
    summary = of_test if test == "test" else f"the rows of slog/{test}.tsv"
    files = {"train": "train", "dev": "dev", "test": test}
    return Benchmark(
        name,
        summary,
        {part: (DataFile(f"slog/{file}.tsv", "", 0, ADVICE),) for part, file in files.items()},
    )


SLOG = Domain(
    name="slog",
    language=Language(SLOG_ALGEBRA, read, render, cogs.guide),
    words=replace(cogs.WORDS, induce=induce, ground=ground, tokenize=tokenize),
    corpus=Corpus((benchmark_named("slog/test"),), cogs.load, benchmark_named),
    syntax=Syntax(
        category=category,
        argument=argument_symbol,
        head=head_symbol,
        heads=HEADS,
        scored_as=scored_as,
    ),
    metrics=Metrics(cogs.conjuncts, cogs.primitives),
)
