"""Guards around the code of a domain that somebody else wrote: every mistake is one clear line.

`require_sound` looks at a domain before any of its code is called. In a `guarded` domain each
function is called through a thin layer that says where it failed, and looks at what it gave.
Domains that ship are tested instead, and go unguarded.
"""

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import Any, NamedTuple

from lear.algebra.algebra import Algebra, Meaning, Operation, Primitive
from lear.algebra.meanings import children, parts
from lear.benchmark import Benchmark, Example
from lear.domain import Corpus, Domain, Guide, Language, Metrics, Syntax, Words
from lear.errors import DomainError, LearError
from lear.lexicon.lexicon import Entry, Lexicon

Complaint = Callable[[Any, tuple[Any, ...]], str | None]
"""What a function gave, and its arguments -> what is wrong with it, or None."""
MAX_SHOWN = 80
"""How many characters of a value are shown in a message."""
MAX_CHECKED = 500
"""Results of an operation whose parts are looked at: what is wrong with them is seen in the first,
and search calls operations very often."""


def _gives(expected: str, is_right: Callable[[Any], bool]) -> Complaint:
    return lambda result, _: None if is_right(result) else _not(expected, result)


def _is(kind: type) -> Complaint:
    return _gives(f"a {kind.__name__}", lambda result: isinstance(result, kind))


def _are(result: Any, sequence: Any, kind: type) -> bool:
    return isinstance(result, sequence) and all(isinstance(item, kind) for item in result)


_primitives = _gives("a sequence of Primitives", lambda result: _are(result, Sequence, Primitive))
_tokens = _gives("a tuple of words", lambda result: _are(result, tuple, str))


def _interned_meaning(result: Any, arguments: tuple[Any, ...]) -> str | None:
    """Look at what `read` or `ground` gave; the last argument of both is the table."""
    if not isinstance(result, Meaning):
        return _not("a meaning", result)
    for part in parts(result):
        if part not in arguments[-1]:
            kind = type(part).__name__
            return f"gave a {kind} that is not interned (table.intern, inner parts first)"
    return None


def _lexicon(result: Any, arguments: tuple[Any, ...]) -> str | None:
    del arguments
    if not isinstance(result, Lexicon):
        return _not("a Lexicon", result)
    for unit, entries in result.units.items():
        if not isinstance(unit, tuple) or not all(isinstance(entry, Entry) for entry in entries):
            return f"gave a lexicon whose unit {_shown(unit)} is no tuple of words with entries"
    return None


def _rows(result: Any, arguments: tuple[Any, ...]) -> str | None:
    del arguments
    if not isinstance(result, list):
        return _not("a list of rows", result)
    for number, row in enumerate(result, start=1):
        if not isinstance(row, Example):
            return f"gave {_shown(row)} as row {number}, not an Example"
        if not (row.tokens and _tokens(row.tokens, ()) is None and isinstance(row.form, str)):
            return f"gave a row without words or form: {row.source or f'row {number}'}"
    return None


def _not(expected: str, result: object) -> str:
    return f"gave {_shown(result)}, not {expected}"


def _shown(value: object) -> str:
    text = repr(value.name) if isinstance(value, Benchmark) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


class Check(NamedTuple):
    """How the guard of a function looks at its calls."""

    complaint: Complaint
    num_shown: int | None = None
    """How many of its arguments are told; None is all."""
    accepted: Container[type] = ()
    """Types of what it gave that need not be looked at."""


PARTS: dict[str, tuple[type, dict[str, Check]]] = {
    "language": (
        Language,
        {"read": Check(_interned_meaning, 1), "render": Check(_is(str))},
    ),
    "words": (
        Words,
        {
            "induce": Check(_lexicon, 0),
            "ground": Check(_interned_meaning, 1),
            "unknown": Check(_primitives),
            "hint": Check(_is(str)),
            "alike": Check(_is(Primitive)),
            "joined": Check(_primitives),
            "seen_as": Check(_is(str)),
            "tokenize": Check(_tokens),
            "second_sentence": Check(_is(str), 1),
            "gazetteer": Check(_is(tuple), 0),
        },
    ),
    "corpus": (Corpus, {"load": Check(_rows, 2)}),
    "syntax": (
        Syntax,
        {
            "category": Check(_is(str), accepted=(str,)),
            "argument": Check(_is(str)),
            "head": Check(_is(str)),
        },
    ),
    "metrics": (
        Metrics,
        {"conjuncts": Check(_is(frozenset)), "primitives": Check(_is(frozenset))},
    ),
}
"""Part of a domain -> its type, and how its functions are guarded."""
MAY_BE_NONE = ("argument", "head")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def require_sound(domain: Domain) -> None:
    """Raise `DomainError` if a domain cannot work, whatever its functions do."""
    for complaint in (_name, _functions, _benchmarks, _heads):
        if (wrong := complaint(domain)) is not None:
            raise DomainError(f"domain {domain.name!r}: {wrong}")


def _name(domain: Domain) -> str | None:
    if isinstance(domain.name, str) and _NAME.fullmatch(domain.name):
        return None
    return "its name is not letters and digits, beginning with a letter"


def _functions(domain: Domain) -> str | None:
    for part, (kind, checks) in PARTS.items():
        value = getattr(domain, part)
        if not isinstance(value, kind):
            return f"its {part} is a {type(value).__name__}, not a {kind.__name__}"
        for name in checks:
            function = getattr(value, name)
            if not callable(function) and not (function is None and name in MAY_BE_NONE):
                return f"{name} is a {type(function).__name__}, not a function"
    return None


def _benchmarks(domain: Domain) -> str | None:
    if not domain.corpus.benchmarks:
        return "it has no benchmark"
    for benchmark in domain.corpus.benchmarks:
        if not isinstance(benchmark, Benchmark):
            return f"{benchmark!r} is no Benchmark"
        if not benchmark.name.startswith(f"{domain.name}/"):
            return f"the name of its benchmark {benchmark.name!r} must begin with '{domain.name}/'"
    return None


def _heads(domain: Domain) -> str | None:
    by_name = domain.language.algebra.by_name
    for operation, head in domain.syntax.heads.items():
        if operation not in by_name:
            return f"heads names {operation!r}, which is no operation"
        arity = by_name[operation].arity
        if not isinstance(head, int) or not 0 <= head < arity:
            return f"heads says {head!r} for {operation}, which has {arity} arguments, from 0 on"
    return None


def guarded(domain: Domain) -> Domain:
    """Return the same domain, whose functions raise `DomainError` where they fail."""
    name = f"domain {domain.name!r}"
    fields: dict[str, Any] = {}
    for part, (_, checks) in PARTS.items():
        value: Any = getattr(domain, part)
        guards = {
            key: _guard(function, f"{name}: {key}", check)
            for key, check in checks.items()
            if (function := getattr(value, key)) is not None
        }
        fields[part] = replace(value, **guards)
    language: Language = fields["language"]
    fields["language"] = replace(
        language,
        algebra=_algebra(language.algebra, name),
        guide=language.guide and _guide(language.guide, f"{name}: guide"),
        finishing={
            step: _guard(function, f"{name}: finishing step {step}", Check(_is(Meaning), 1))
            for step, function in language.finishing.items()
        },
    )
    others = {key: guarded(other) for key, other in domain.other_algebras.items()}
    return replace(domain, **fields, other_algebras=others)


def _guard(function: Callable[..., Any], place: str, check: Check) -> Callable[..., Any]:
    """Return a function that says where it failed; `place` is what the domain calls it."""
    complaint, num_shown, accepted = check

    def call(*arguments: Any) -> Any:
        try:
            result = function(*arguments)
        except (LearError, RecursionError):  # these are told apart where they are caught
            raise
        except Exception as error:
            reason = cause(error, _file_of(error))
            raise DomainError(f"{place} {reason}{_on(arguments[:num_shown])}") from error
        if type(result) in accepted:
            return result
        wrong = complaint(result, arguments)
        if wrong is not None:
            raise DomainError(f"{place} {wrong}{_on(arguments[:num_shown])}")
        return result

    return call


def _on(arguments: tuple[Any, ...]) -> str:
    shown = ", ".join(map(_shown, arguments))
    return f", on {shown}" if shown else ""


def _algebra(algebra: Algebra, name: str) -> Algebra:
    operations = tuple(_operation(operation, name) for operation in algebra.operations)
    is_complete = _guard(algebra.is_complete, f"{name}: is_complete", Check(_is(bool)))
    return replace(algebra, operations=operations, is_complete=is_complete)


def _operation(operation: Operation, name: str) -> Operation:
    results = operation.results
    expected = " or ".join(kind.__name__ for kind in results)
    accepted: set[type] = {type(None)}
    num_checked = 0

    def complaint(result: Any, arguments: tuple[Any, ...]) -> str | None:
        nonlocal num_checked
        num_checked += 1
        if num_checked >= MAX_CHECKED:
            accepted.update(results)
        if type(result) not in results:
            return f"gave {_shown(result)}, not a {expected} as its annotation says"
        # An operation has no table to intern what it makes: new meanings inside it would be lost.
        made = [child for child in children(result) if child not in arguments]
        if made and not set(made) <= set().union(*map(parts, arguments)):
            return f"made a new {type(made[0]).__name__} inside the {expected} that it gave"
        return None

    place = f"{name}: operation {operation.name}"
    function = _guard(operation.function, place, Check(complaint, accepted=accepted))
    return replace(operation, function=function)


def _guide(guide: Guide, place: str) -> Guide:
    def guarded_guide(gold: Meaning) -> Callable[[Meaning], bool]:
        return _guard(make_test(gold), place, Check(_is(bool), accepted=(bool,)))

    make_test = _guard(guide, place, Check(_gives("a function", callable)))
    return guarded_guide


def cause(error: BaseException, file: str = "") -> str:
    """Return an exception in one line, with the last line of a file that it went through."""
    line = last_line(error, file)
    place = f" ({Path(file).name}:{line})" if line else ""
    message = (str(error).splitlines() or [""])[0]
    return f"raised {type(error).__name__}{message and f': {message}'}{place}"


def last_line(error: BaseException, file: str) -> int:
    """Return the last line of a file that an exception went through; 0 if it went through none."""
    names = (file, str(Path(file).absolute()))  # modules know their files by whole paths
    passed = [line for frame, line in walk_tb(error.__traceback__) if _file(frame) in names]
    return passed[-1] if passed else 0


def _file_of(error: BaseException) -> str:
    """Return the last file outside lear and libraries that an exception went through."""
    own = str(Path(__file__).parent.parent)
    names = [_file(frame) for frame, _ in walk_tb(error.__traceback__)]
    theirs = [name for name in names if not name.startswith(own) and "site-packages" not in name]
    return next((name for name in reversed(theirs) if Path(name).is_file()), "")


def _file(frame: FrameType) -> str:
    return frame.f_code.co_filename
