"""The toy language: people, their relatives, and who does what to whom.

`Tom teaches John 's daughter 's daughter` means `teach ( tom , daughter ( daughter ( john ) ) )`.
The smallest domain that uses no shortcut: `scan.py` has the same parts with `make_domain`.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from lear.algebra.algebra import Algebra, Meaning, MeaningTable, Primitive
from lear.benchmark import Benchmark, Example, FindFile
from lear.domain import Corpus, Domain, Language, Syntax, Words, second_sentence
from lear.errors import FormError
from lear.lexicon.covers import cover_inducer
from lear.lexicon.plain_text import is_shouted, lower, plain, words_and_marks

# 1. Words with their symbols. The parser never sees which word has which: it induces a lexicon.
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


# 2. Meanings, and how they are put together.
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


def category(meaning: Meaning) -> str:
    """Return the type; `Passive` for a predicate whose second argument is missing."""
    if isinstance(meaning, Predicate) and meaning.second is None:
        return "Passive"
    return type(meaning).__name__


TOY_ALGEBRA = Algebra.of(
    "toy",
    (determine, possess, relate, take_object, take_agent, take_proposition, take_subject),
    lambda meaning: isinstance(meaning, Proposition),
)

# 3. From forms to meanings and back, each with a stack, so that terms may have any depth.
TYPES: dict[str, type[Person | Kind | Relation | Action | Attitude]] = {
    kind.__name__: kind for kind in (Person, Kind, Relation, Action, Attitude)
}
TYPE_OF = {
    **dict.fromkeys(NAMES.values(), Person),
    **dict.fromkeys(KINDS.values(), Kind),
    **dict.fromkeys(RELATIONS.values(), Relation),
    **{symbol: Action for _, symbol in ACTIONS.values()},
    **dict.fromkeys(ATTITUDES.values(), Attitude),
}
"""Symbol of the forms -> the type of what it means."""


def render(meaning: Meaning) -> str:
    """Return the term of a meaning; a missing argument prints as `?`."""
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
    """Return the proposition that a term denotes; the sentence is not needed."""
    del tokens
    # Shift-reduce: a closing bracket replaces everything from its symbol on by one meaning.
    stack: list[Meaning | str] = []
    for token in form.split():
        if token == ")":
            _reduce(stack, form, table)
        elif TYPE_OF.get(token) in (Person, Kind):
            stack.append(table.intern(Person(token)))
        elif token in TYPE_OF or token in ("(", ","):
            stack.append(token)
        else:
            raise FormError(f"unknown symbol {token!r}")
    match stack:
        case [Proposition() as proposition]:
            return proposition
    raise FormError(f"not a proposition: {form!r}")


def _reduce(stack: list[Meaning | str], form: str, table: MeaningTable) -> None:
    match stack:
        case [*_, str(symbol), "(", Person() as person] if TYPE_OF.get(symbol) is Relation:
            stack[-3:] = [table.intern(Person(symbol, person))]
        case [*_, str(symbol), "(", Person() as first, ",", (Person() | Proposition()) as second]:
            if TYPE_OF.get(symbol) is not (Action if isinstance(second, Person) else Attitude):
                raise FormError(f"{symbol!r} does not take these arguments in {form!r}")
            stack[-5:] = [table.intern(Proposition(symbol, first, second))]
        case _:
            raise FormError(f"brackets or arguments do not fit in {form!r}")


# 4. From words to primitives. Which word stands for which is induced from training rows.
def primitives_of(row: Example) -> Iterator[Primitive]:
    """Give the primitives in a row's form."""
    for symbol in row.form.split():
        if symbol in TYPE_OF:
            yield Primitive(TYPE_OF[symbol].__name__, symbol)


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """Return the meaning of a primitive, which is the same at every token."""
    del position
    return table.intern(TYPES[primitive.type](primitive.symbol))


def tokenize(text: str) -> tuple[str, ...]:
    """Return tokens without marks: `The girl sees Tom's sister.` -> the girl sees Tom 's sister."""
    sentence = plain(text).replace("-", " ")
    words = words_and_marks(lower(sentence) if is_shouted(sentence) else sentence)
    return tuple("the" if word == "The" else word for word in words)


# 5. Rows, generated with a seed. Training rows are shallow, and some words occur in one position
# only. Test rows have deeper possessives, deeper complements, and these words in other positions.
SEED, NUM_TRAIN, NUM_DEV, NUM_PER_GROUP = 1, 400, 80, 40
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
Phrase = tuple[str, str]
"""Words, and their form."""


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
            return f"the {kind}", KINDS[kind]
        name = self.rng.choice(names)
        return name, NAMES[name]

    def possessive(self, names: Sequence[str], depth: int) -> Phrase:
        words, form = self.plain(names)
        for _ in range(depth):
            noun = self.rng.choice(list(RELATIONS))
            words, form = f"{words} 's {noun}", f"{RELATIONS[noun]} ( {form} )"
        return words, form

    def of_phrase(self, names: Sequence[str], nouns: Sequence[str]) -> Phrase:
        noun, (words, form) = self.rng.choice(nouns), self.plain(names)
        return f"the {noun} of {words}", f"{RELATIONS[noun]} ( {form} )"

    def person(self, names: Sequence[str]) -> Phrase:
        """Draw a noun phrase with at most one possessive."""
        draw = self.rng.random()
        if draw < 0.2:
            return self.of_phrase(names, self.related_by_of)
        return self.possessive(names, depth=0 if draw < 0.6 else 1)

    def subject(self) -> Phrase:
        return self.person(self.subjects)

    def object(self) -> Phrase:
        return self.person(self.objects)

    def active(self, subject: Phrase, other: Phrase) -> Phrase:
        verb = self.rng.choice(list(ACTIONS))
        form = f"{ACTIONS[verb][1]} ( {subject[1]} , {other[1]} )"
        return f"{subject[0]} {verb} {other[0]}", form

    def clause(self, subject: Phrase, other: Phrase) -> Phrase:
        """Draw an active or a passive clause."""
        if self.rng.random() >= 0.3:
            return self.active(subject, other)
        participle, symbol = ACTIONS[self.rng.choice(list(ACTIONS))]
        form = f"{symbol} ( {other[1]} , {subject[1]} )"
        return f"{subject[0]} is {participle} by {other[0]}", form

    def complement(self, depth: int) -> Phrase:
        words, form = self.clause(self.subject(), self.object())
        for _ in range(depth):
            verb, subject = self.rng.choice(list(ATTITUDES)), self.plain(self.subjects)
            words = f"{subject[0]} {verb} that {words}"
            form = f"{ATTITUDES[verb]} ( {subject[1]} , {form} )"
        return words, form

    def shallow(self) -> Phrase:
        return self.complement(depth=1 if self.rng.random() < 0.25 else 0)

    def deep(self, depth: int) -> Phrase:
        return self.active(self.subject(), self.possessive(self.objects, depth))

    def moved(self, names: Sequence[str]) -> Phrase:
        name = self.rng.choice(names)
        return name, NAMES[name]


def _test_draws(speaker: _Speaker) -> dict[str, Callable[[], Phrase]]:
    """Return group -> what draws a phrase of it."""
    active, objects = speaker.active, speaker.objects
    return {
        **{f"possessive_{depth}": partial(speaker.deep, depth) for depth in (2, 3, 4, 6)},
        "complement_2": lambda: speaker.complement(2),
        "complement_4": lambda: speaker.complement(4),
        "object_to_subject": lambda: active(speaker.moved(ONLY_OBJECTS), speaker.object()),
        "subject_to_object": lambda: _swapped(speaker, speaker.moved(ONLY_SUBJECTS)),
        "possessive_to_of": lambda: _swapped(speaker, speaker.of_phrase(objects, ONLY_POSSESSIVE)),
        "deep_subject": lambda: speaker.clause(
            speaker.possessive(speaker.subjects, depth=3), speaker.object()
        ),
    }


def _swapped(speaker: _Speaker, other: Phrase) -> Phrase:
    """Draw the subject after the other argument."""
    return speaker.active(speaker.subject(), other)


def generate(part: str, seed: int) -> list[Example]:
    """Return distinct rows of `train`, `dev` or `test`; dev and test have no row of train."""
    train = _distinct(_Speaker(seed, "train").shallow, NUM_TRAIN)
    if part == "train":
        chosen = [("shallow", phrase) for phrase in train]
    elif part == "dev":
        dev = _distinct(_Speaker(seed, "dev").shallow, NUM_DEV, train)
        chosen = [("shallow", phrase) for phrase in dev]
    else:
        chosen = [
            (group, phrase)
            for group, draw in _test_draws(_Speaker(seed, "test")).items()
            for phrase in _distinct(draw, NUM_PER_GROUP, train)
        ]
    return [
        Example(tuple(words.split()), form, group, f"toy/{part}:{number}")
        for number, (group, (words, form)) in enumerate(chosen, start=1)
    ]


def _distinct(
    draw: Callable[[], Phrase], count: int, exclude: Sequence[Phrase] = ()
) -> list[Phrase]:
    phrases: dict[Phrase, None] = {}
    while len(phrases) < count:
        phrase = draw()
        if phrase not in exclude:
            phrases[phrase] = None
    return list(phrases)


def load(benchmark: Benchmark, part: str, find: FindFile) -> list[Example]:
    """Return the rows of one part; they are generated, so no file is read."""
    del benchmark, find
    return generate(part, SEED)


# 6. All of it in one value; what is not said here has a default.
TOY = Domain(
    name="toy",
    language=Language(TOY_ALGEBRA, read, render),
    words=Words(
        cover_inducer("toy", primitives_of, max_candidates=2),
        ground,
        tokenize=tokenize,
        second_sentence=second_sentence,
    ),
    corpus=Corpus(
        (Benchmark("toy/deep", "shallow training rows; deeper and recombined test rows"),),
        load,
        group_titles=GROUP_TITLES,
    ),
    syntax=Syntax(category=category),
)
