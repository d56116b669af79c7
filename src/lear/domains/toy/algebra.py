"""The algebra of the toy language: people, relations between them, and who does what to whom.

Its forms are terms: `Tom teaches John 's daughter 's daughter` means
`teach ( tom , daughter ( daughter ( john ) ) )`.
"""

from lear.core.algebra import Algebra, Meaning


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
