"""SCAN: `jump left twice` means I_TURN_LEFT I_JUMP I_TURN_LEFT I_JUMP. A domain in one file."""

from pathlib import Path

from lear.algebra.algebra import Meaning
from lear.domains.make_domain import make_domain
from lear.domains.pairs import listed_corpus


class Route(Meaning, frozen=True):
    """Turns, and how often they are made before something: left, opposite left, around left."""

    steps: tuple[str, ...]
    times: int = 1


class Steps(Meaning, frozen=True):
    """What is done, in order: a whole command, or a part that is no `Phrase`."""

    steps: tuple[str, ...]


class Phrase(Steps, frozen=True):
    """What can be done twice: jump, jump left, turn left."""


def opposite(route: Route) -> Route:
    """`opposite left  =>  I_TURN_LEFT I_TURN_LEFT`."""
    return Route(route.steps * 2)


def around(route: Route) -> Route:
    """`around left  =>  I_TURN_LEFT, four times`."""
    return Route(route.steps, 4)


def turn(route: Route) -> Phrase:
    """`turn left  =>  I_TURN_LEFT`."""
    return Phrase(route.steps * route.times)


def go(phrase: Phrase, route: Route) -> Phrase:
    """`jump left  =>  I_TURN_LEFT I_JUMP`."""
    return Phrase((route.steps + phrase.steps) * route.times)


def twice(phrase: Phrase) -> Steps:
    """`jump twice  =>  I_JUMP I_JUMP`."""
    return Steps(phrase.steps * 2)


def thrice(phrase: Phrase) -> Steps:
    """`jump thrice  =>  I_JUMP I_JUMP I_JUMP`."""
    return Steps(phrase.steps * 3)


def in_order(first: Phrase | Steps, second: Phrase | Steps) -> Steps:
    """`jump and walk  =>  I_JUMP I_WALK`."""
    return Steps(first.steps + second.steps)


def in_reverse(last: Phrase | Steps, first: Phrase | Steps) -> Steps:
    """`jump after walk  =>  I_WALK I_JUMP`."""
    return Steps(first.steps + last.steps)


def text(meaning: Route | Steps) -> str:
    """Return the steps of a meaning: of a whole one, that is its form."""
    return " ".join(meaning.steps)


SCAN = make_domain(
    "scan",
    (opposite, around, turn, go, twice, thrice, in_order, in_reverse),
    read=lambda form: Steps(tuple(form.split())),
    render=text,
    primitives=lambda form: (("Route" if "TURN" in s else "Phrase", s) for s in form.split()),
    ground={"Route": lambda s: Route((s,)), "Phrase": lambda s: Phrase((s,))},
    corpus=listed_corpus(
        "scan",
        Path(__file__).with_name("scan_files.txt"),
        "https://raw.githubusercontent.com/brendenlake/SCAN/master",
        lambda line: line.removeprefix("IN: ").split(" OUT: "),
    ),
    complete=(Phrase, Steps),
    finish=lambda meaning: Steps(meaning.steps),
    once=True,
    guide=lambda gold: lambda part: text(part) in text(gold),
)
