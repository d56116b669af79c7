"""The words of the toy language with their symbols, for the generator of rows only.

The parser never sees this table: its lexicon is induced from generated rows.

The algebra of the toy language: people, relations between them, and who does what to whom.

Its forms are terms: `Tom teaches John 's daughter 's daughter` means
`teach ( tom , daughter ( daughter ( john ) ) )`.

Reading and printing terms: `teach ( tom , daughter ( john ) )`.

Sentences as tokens: no punctuation, no case but that of names, `'s` as a token of its own.

Categories of toy meanings: the type, and for a predicate which argument is missing.

The toy lexicon, induced from training rows; unknown words have no primitives.

Rows of the toy language, generated with a seed.

Training rows are shallow, and some words occur in one position only. Test rows have deeper
possessives, deeper complements, and these words in positions that training never shows. Dev rows
are drawn like training rows.

The toy domain, put together from its parts; its metrics are the defaults.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lear.algebra.algebra import Algebra, Meaning, MeaningTable, Primitive
from lear.benchmark import Benchmark, Example
from lear.domain import Corpus, Domain, Language, Syntax, Words, second_sentence
from lear.errors import FormError
from lear.lexicon.covers import cover_inducer
from lear.lexicon.plain_text import is_shouted, lower, plain, words_and_marks
from lear.storage.datasets import DataFile

NAMES = {
    "Tom": "tom", "John": "john", "Mary": "mary", "Anna": "anna", "Peter": "peter",
    "Lucy": "lucy", "Omar": "omar", "Nina": "nina", "Carl": "carl", "Ruth": "ruth",
}  # fmt: skip
KINDS = {"girl": "girl", "boy": "boy", "doctor": "doctor", "neighbour": "neighbour"}
RELATIONS = {
    "daughter": "daughter", "son": "son", "teacher": "teacher", "sister": "sister",
    "friend": "friend", "best friend": "best_friend",
}  # fmt: skip
ACTIONS = {
    "teaches": ("taught", "teach"), "helps": ("helped", "help"), "sees": ("seen", "see"),
    "admires": ("admired", "admire"), "looks after": ("looked after", "look_after"),
}  # fmt: skip
"""Active form -> passive form and symbol."""
ATTITUDES = {"knows": "know", "says": "say", "hopes": "hope"}


class Person(Meaning, frozen=True):
    """A person: named, described by a noun, or a relative of another person."""

    symbol: str
    of: "Person | None" = None


class Kind(Meaning, frozen=True):
    """A noun without its article: girl, daughter of John."""

    symbol: str
    of: Person | None = None


class Relation(Meaning, frozen=True):
    """A noun for a relative: daughter, best friend."""

    symbol: str


class Action(Meaning, frozen=True):
    """A verb between two people: teaches, taught."""

    symbol: str


class Attitude(Meaning, frozen=True):
    """A verb between a person and a proposition: knows."""

    symbol: str


class Predicate(Meaning, frozen=True):
    """A verb with one of its two arguments: teaches John, taught by Tom, knows that ..."""

    symbol: str
    first: "Person | None" = None
    second: "Person | Proposition | None" = None


class Proposition(Meaning, frozen=True):
    """A verb with both arguments."""

    symbol: str
    first: Person
    second: "Person | Proposition"


def determine(kind: Kind) -> Person:
    """`the girl  =>  girl`."""
    return Person(kind.symbol, kind.of)


def possess(owner: Person, relation: Relation) -> Person:
    """`John 's daughter  =>  daughter ( john )`."""
    return Person(relation.symbol, owner)


def relate(relation: Relation, owner: Person) -> Kind:
    """`daughter of John  =>  daughter ( john ), still without its article`."""
    return Kind(relation.symbol, owner)


def take_object(action: Action, person: Person) -> Predicate:
    """`teaches John  =>  teach ( ? , john )`."""
    return Predicate(action.symbol, second=person)


def take_agent(action: Action, person: Person) -> Predicate:
    """`taught by Tom  =>  teach ( tom , ? )`."""
    return Predicate(action.symbol, first=person)


def take_proposition(attitude: Attitude, proposition: Proposition) -> Predicate:
    """`knows that Tom teaches John  =>  know ( ? , teach ( tom , john ) )`."""
    return Predicate(attitude.symbol, second=proposition)


def take_subject(subject: Person, predicate: Predicate) -> Proposition | None:
    """`Tom teaches John  =>  teach ( tom , john )`."""
    if predicate.second is not None:
        return Proposition(predicate.symbol, subject, predicate.second)
    if predicate.first is not None:
        return Proposition(predicate.symbol, predicate.first, subject)
    return None


def is_complete(meaning: Meaning) -> bool:
    """Whether a meaning is a proposition."""
    return isinstance(meaning, Proposition)


TOY_ALGEBRA = Algebra.of(
    "toy",
    (determine, possess, relate, take_object, take_agent, take_proposition, take_subject),
    is_complete,
)

SYMBOLS: dict[type[Person | Kind | Relation | Action | Attitude], tuple[str, ...]] = {
    Person: (
        "tom", "john", "mary", "anna", "peter", "lucy", "omar", "nina", "carl", "ruth",
    ),
    Kind: ("girl", "boy", "doctor", "neighbour"),
    Relation: ("daughter", "son", "teacher", "sister", "friend", "best_friend"),
    Action: ("teach", "help", "see", "admire", "look_after"),
    Attitude: ("know", "say", "hope"),
}  # fmt: skip
"""The signature of the form language: type -> its symbols."""

TYPES = {kind.__name__: kind for kind in SYMBOLS}
TYPE_OF_SYMBOL = {symbol: kind.__name__ for kind, symbols in SYMBOLS.items() for symbol in symbols}


def render(meaning: Meaning) -> str:
    """The term of a meaning; a missing argument prints as `?`."""
    pieces: list[str] = []
    stack: list[Meaning | str] = [meaning]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            pieces.append(part)
        elif isinstance(part, Proposition | Predicate):
            first, second = part.first or "?", part.second or "?"
            stack.extend((")", second, ",", first, "(", part.symbol))
        elif isinstance(part, Person | Kind) and part.of is not None:
            stack.extend((")", part.of, "(", part.symbol))
        elif isinstance(part, Person | Kind | Relation | Action | Attitude):
            pieces.append(part.symbol)
    return " ".join(pieces)


def read(form: str, tokens: Sequence[str], table: MeaningTable) -> Meaning:
    """The proposition that a term denotes; the sentence is not needed."""
    del tokens
    # Shift-reduce: a closing bracket replaces everything from its symbol on by one meaning.
    stack: list[Meaning | str] = []
    for token in form.split():
        if token == ")":
            _reduce(stack, form, table)
        elif token in ("(", ","):
            stack.append(token)
        elif TYPE_OF_SYMBOL.get(token) in ("Person", "Kind"):
            stack.append(table.intern(Person(token)))
        elif token in TYPE_OF_SYMBOL:
            stack.append(token)
        else:
            raise FormError(f"unknown symbol {token!r}")
    match stack:
        case [Proposition() as proposition]:
            return proposition
    raise FormError(f"not a proposition: {form!r}")


def _reduce(stack: list[Meaning | str], form: str, table: MeaningTable) -> None:
    match stack:
        case [*_, str(symbol), "(", Person() as person] if TYPE_OF_SYMBOL.get(symbol) == "Relation":
            stack[-3:] = [table.intern(Person(symbol, person))]
        case [*_, str(symbol), "(", Person() as first, ",", (Person() | Proposition()) as second]:
            expected = "Action" if isinstance(second, Person) else "Attitude"
            if TYPE_OF_SYMBOL.get(symbol) != expected:
                raise FormError(f"{symbol!r} does not take these arguments in {form!r}")
            stack[-5:] = [table.intern(Proposition(symbol, first, second))]
        case _:
            raise FormError(f"brackets or arguments do not fit in {form!r}")


def tokenize(text: str) -> tuple[str, ...]:
    """`The girl sees Tom's sister.` -> the girl sees Tom 's sister."""
    sentence = plain(text).replace("-", " ")
    words = words_and_marks(lower(sentence) if is_shouted(sentence) else sentence)
    return tuple("the" if word == "The" else word for word in words)


def category(meaning: Meaning) -> str:
    """The type; `Passive` for a predicate whose second argument is missing."""
    if isinstance(meaning, Predicate) and meaning.second is None:
        return "Passive"
    return type(meaning).__name__


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive, the same at every token."""
    del position
    return table.intern(TYPES[primitive.type](primitive.symbol))


def primitives_of(example: Example) -> Iterator[Primitive]:
    """The primitives in a row's form."""
    for symbol in example.form.split():
        if symbol in TYPE_OF_SYMBOL:
            yield Primitive(TYPE_OF_SYMBOL[symbol], symbol)


induce = cover_inducer(TOY_ALGEBRA.name, primitives_of, max_candidates=2)


SEED = 1
BENCHMARKS = (Benchmark("toy/deep", "shallow training rows; deeper and recombined test rows"),)
NUM_TRAIN, NUM_DEV, NUM_PER_GROUP = 400, 80, 40

# Words that training shows in one position only.
ONLY_SUBJECTS = ("Carl", "Nina")
ONLY_OBJECTS = ("Ruth", "Omar")
ONLY_POSSESSIVE = ("sister",)

GROUP_TITLES = {
    "shallow": "possessives of depth 0 or 1, at most one complement",
    "possessive_2": "John 's daughter 's daughter",
    "possessive_3": "possessives of depth 3",
    "possessive_4": "possessives of depth 4",
    "possessive_6": "possessives of depth 6",
    "complement_2": "two complements: Tom knows that Mary says that ...",
    "complement_4": "four complements",
    "object_to_subject": "names that training shows as objects only",
    "subject_to_object": "names that training shows as subjects only",
    "possessive_to_of": "a relation that training shows with 's only, here with of",
    "deep_subject": "possessives of depth 3 as subjects, also of passives",
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words with their form."""

    words: str
    form: str


def load(benchmark: Benchmark, part: str, find: Callable[[DataFile], Path]) -> list[Example]:
    """The rows of one part; they are generated, so no file is read."""
    del benchmark, find
    return generate(part, SEED)


def generate(part: str, seed: int) -> list[Example]:
    """Distinct rows of `train`, `dev` or `test`; dev and test have no row of train."""
    train = _distinct(_shallow(_Speaker(seed, "train")), NUM_TRAIN, exclude=())
    if part == "train":
        chosen = [("shallow", phrase) for phrase in train]
    elif part == "dev":
        dev = _distinct(_shallow(_Speaker(seed, "dev")), NUM_DEV, exclude=train)
        chosen = [("shallow", phrase) for phrase in dev]
    else:
        chosen = [
            (group, phrase)
            for group, source in _test_sources(_Speaker(seed, "test")).items()
            for phrase in _distinct(source, NUM_PER_GROUP, exclude=train)
        ]
    return [
        Example(tuple(phrase.words.split()), phrase.form, group, f"toy/{part}:{number}")
        for number, (group, phrase) in enumerate(chosen, start=1)
    ]


def _distinct(source: Iterator[Phrase], count: int, exclude: Sequence[Phrase]) -> list[Phrase]:
    phrases: dict[Phrase, None] = {}
    while len(phrases) < count:
        phrase = next(source)
        if phrase not in exclude:
            phrases[phrase] = None
    return list(phrases)


class _Speaker:
    """Draws phrases; its lists hold the words that training rows show in each position."""

    def __init__(self, seed: int, part: str) -> None:
        self.rng = random.Random(f"toy {seed} {part}")
        self.subjects = [name for name in NAMES if name not in ONLY_OBJECTS]
        self.objects = [name for name in NAMES if name not in ONLY_SUBJECTS]
        self.related_by_of = [noun for noun in RELATIONS if noun not in ONLY_POSSESSIVE]

    def plain(self, names: Sequence[str]) -> Phrase:
        if self.rng.random() < 0.25:
            kind = self.rng.choice(list(KINDS))
            return Phrase(f"the {kind}", KINDS[kind])
        name = self.rng.choice(names)
        return Phrase(name, NAMES[name])

    def possessive(self, names: Sequence[str], depth: int) -> Phrase:
        phrase = self.plain(names)
        for _ in range(depth):
            noun = self.rng.choice(list(RELATIONS))
            phrase = Phrase(f"{phrase.words} 's {noun}", f"{RELATIONS[noun]} ( {phrase.form} )")
        return phrase

    def of_phrase(self, names: Sequence[str], nouns: Sequence[str]) -> Phrase:
        noun, owner = self.rng.choice(nouns), self.plain(names)
        return Phrase(f"the {noun} of {owner.words}", f"{RELATIONS[noun]} ( {owner.form} )")

    def person(self, names: Sequence[str]) -> Phrase:
        """A noun phrase with at most one possessive."""
        draw = self.rng.random()
        if draw < 0.2:
            return self.of_phrase(names, self.related_by_of)
        return self.possessive(names, depth=0 if draw < 0.6 else 1)

    def active(self, subject: Phrase, second: Phrase) -> Phrase:
        verb = self.rng.choice(list(ACTIONS))
        symbol = ACTIONS[verb][1]
        return Phrase(
            f"{subject.words} {verb} {second.words}",
            f"{symbol} ( {subject.form} , {second.form} )",
        )

    def passive(self, subject: Phrase, agent: Phrase) -> Phrase:
        participle, symbol = ACTIONS[self.rng.choice(list(ACTIONS))]
        return Phrase(
            f"{subject.words} is {participle} by {agent.words}",
            f"{symbol} ( {agent.form} , {subject.form} )",
        )

    def simple(self) -> Phrase:
        return self.clause(self.person(self.subjects), self.person(self.objects))

    def clause(self, subject: Phrase, other: Phrase) -> Phrase:
        """An active or a passive clause."""
        return (self.passive if self.rng.random() < 0.3 else self.active)(subject, other)

    def complement(self, depth: int) -> Phrase:
        phrase = self.simple()
        for _ in range(depth):
            verb, subject = self.rng.choice(list(ATTITUDES)), self.plain(self.subjects)
            phrase = Phrase(
                f"{subject.words} {verb} that {phrase.words}",
                f"{ATTITUDES[verb]} ( {subject.form} , {phrase.form} )",
            )
        return phrase


def _shallow(speaker: _Speaker) -> Iterator[Phrase]:
    while True:
        yield speaker.complement(depth=1 if speaker.rng.random() < 0.25 else 0)


def _test_sources(speaker: _Speaker) -> dict[str, Iterator[Phrase]]:
    """Group -> an endless source of its phrases."""

    def endless(draw: Callable[[], Phrase]) -> Iterator[Phrase]:
        while True:
            yield draw()

    def deep(depth: int) -> Callable[[], Phrase]:
        def draw() -> Phrase:
            subject = speaker.person(speaker.subjects)
            return speaker.active(subject, speaker.possessive(speaker.objects, depth))

        return draw

    def of_sister() -> Phrase:
        other = speaker.of_phrase(speaker.objects, ONLY_POSSESSIVE)
        return speaker.active(speaker.person(speaker.subjects), other)

    def deep_subject() -> Phrase:
        subject = speaker.possessive(speaker.subjects, depth=3)
        return speaker.clause(subject, speaker.person(speaker.objects))

    def named(name: str) -> Phrase:
        return Phrase(name, NAMES[name])

    def moved_subject() -> Phrase:
        subject = named(speaker.rng.choice(ONLY_OBJECTS))
        return speaker.active(subject, speaker.person(speaker.objects))

    def moved_object() -> Phrase:
        other = named(speaker.rng.choice(ONLY_SUBJECTS))
        return speaker.active(speaker.person(speaker.subjects), other)

    draws = {f"possessive_{depth}": deep(depth) for depth in (2, 3, 4, 6)} | {
        "complement_2": lambda: speaker.complement(2),
        "complement_4": lambda: speaker.complement(4),
        "object_to_subject": moved_subject,
        "subject_to_object": moved_object,
        "possessive_to_of": of_sister,
        "deep_subject": deep_subject,
    }
    return {group: endless(draw) for group, draw in draws.items()}


TOY = Domain(
    name="toy",
    language=Language(TOY_ALGEBRA, read, render),
    words=Words(induce, ground, tokenize=tokenize, second_sentence=second_sentence),
    corpus=Corpus(BENCHMARKS, load, group_titles=GROUP_TITLES),
    syntax=Syntax(category=category),
)
