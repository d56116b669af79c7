"""Programs as chains: functions one inside the other, and what is at the end of them.

`answer(largest(state(next_to_2(stateid('texas')))))` is the chain largest, state, next_to_2 with
`stateid('texas')` at its end. A chain without an end is a predicate that waits for its argument. At
an end two chains may meet in a set operation. `answer` belongs to every program, so to no chain.
"""

from typing import NamedTuple

from lear.domains.geo.functions import (
    FUNCTIONS,
    NAMES,
    SET_OPERATIONS,
)
from lear.domains.geo.program import Atom, Call, Program
from lear.errors import FormError
from lear.messages.suggestions import did_you_mean


class Chain(NamedTuple):
    """Functions from the outside in, and the end: None (open), an entity's text, or a fork."""

    functions: tuple[str, ...]
    end: "str | Fork | None" = None


class Fork(NamedTuple):
    """A set operation on two chains."""

    operation: str
    left: Chain
    right: Chain


def chain_of(program: Program) -> Chain:
    """The chain of a whole program."""
    match program:
        case Call("answer", (inside,)):
            return _chain(inside)
    raise FormError(f"a program is answer(...), not {str(program)[:40]!r}")


def _chain(program: Program) -> Chain:
    functions: list[str] = []
    while isinstance(program, Call) and program.function in FUNCTIONS:
        functions.append(program.function)
        if len(program.arguments) > 1:
            # An anonymised city with its state: population_1(var0, var1).
            return Chain(tuple(functions), _names(program))
        program = program.arguments[0]
    return Chain(tuple(functions), _end(program))


def _end(program: Program) -> str | Fork:
    """What a chain has at its end."""
    match program:
        case Atom():
            return str(program)
        case Call(function, (left, right)) if function in SET_OPERATIONS:
            return Fork(function, _chain(left), _chain(right))
        case Call(function, arguments) if function in SET_OPERATIONS:
            raise FormError(f"{function!r} takes two arguments, not {len(arguments)}")
        case Call(function) if function in NAMES:
            return f"{function}({_names(program)})"
    if program.function == "answer":
        raise FormError("'answer' stands around a program, not inside of one")
    known = (*FUNCTIONS, *NAMES, *SET_OPERATIONS)
    raise FormError(f"unknown function {program.function!r}{did_you_mean(program.function, known)}")


def _names(call: Call) -> str:
    """The arguments of a call that takes names, as text."""
    for argument in call.arguments:
        if not isinstance(argument, Atom):
            number = len(call.arguments)
            wanted = "a name" if call.function in NAMES else f"one argument, not {number}"
            raise FormError(f"{call.function!r} takes {wanted}")
    return ", ".join(map(str, call.arguments))


def text_of(chain: Chain) -> str:
    """The program of a chain, without `answer`; what is open prints as `?`."""
    match chain.end:
        case None:
            inside = "?"
        case str():
            inside = chain.end
        case Fork(operation, left, right):
            inside = f"{operation}({text_of(left)}, {text_of(right)})"
    return (
        "".join(f"{function}(" for function in chain.functions)
        + inside
        + ")" * len(chain.functions)
    )
