"""Programs as chains: nested functions, and what is at their inner end.

`answer(largest(state(next_to_2(stateid('texas')))))` is the chain largest, state, next_to_2 with
the end `stateid('texas')`. A chain without an end is a predicate without its argument. An end may
also be a set operation on two chains. `answer` is part of every program, so chains leave it out.
"""

from typing import NamedTuple

from lear.domains.geo.function_types import (
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
    """The end of a chain."""
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
    hint = did_you_mean(program.function, (*FUNCTIONS, *NAMES, *SET_OPERATIONS))
    raise FormError(f"unknown function {program.function!r}{hint}")


def _names(call: Call) -> str:
    """The arguments of a call that takes names, as text."""
    for argument in call.arguments:
        if not isinstance(argument, Atom):
            number = len(call.arguments)
            wanted = "a name" if call.function in NAMES else f"one argument, not {number}"
            raise FormError(f"{call.function!r} takes {wanted}")
    return ", ".join(map(str, call.arguments))


def text_of(chain: Chain) -> str:
    """The program of a chain, without `answer`; an open end prints as `?`."""
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
