"""What can be seen to be wrong with a domain before any of its code is called.

Guards around the code of a domain that somebody else wrote: every mistake is one clear line.

Each function of such a domain is called through a thin layer that says where it failed, and looks
at what it gave. Domains that ship are tested instead, and go unguarded.
"""

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lear.algebra.algebra import Algebra, Meaning, Operation, Primitive
from lear.algebra.meanings import children, parts
from lear.benchmark import Benchmark, Example
from lear.domain import Corpus, Domain, Guide, Language, Metrics, Syntax, Words
from lear.errors import DomainError, LearError
from lear.lexicon.lexicon import Entry, Lexicon

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
PARTS_OF_A_DOMAIN = {
    "language": Language,
    "words": Words,
    "corpus": Corpus,
    "syntax": Syntax,
    "metrics": Metrics,
}
FUNCTIONS = {
    "language": ("read", "render"),
    "words": ("induce", "ground", "unknown", "alike", "tokenize", "gazetteer"),
    "corpus": ("load",),
    "syntax": ("category",),
    "metrics": ("conjuncts", "primitives"),
}


def require_sound(domain: Domain) -> None:
    """Raise `DomainError` if a domain cannot work, whatever its functions do."""
    for complaint in (_name(domain), _fields(domain), _benchmarks(domain), _heads(domain)):
        if complaint is not None:
            raise DomainError(f"domain {domain.name!r}: {complaint}")


def _name(domain: Domain) -> str | None:
    if isinstance(domain.name, str) and _NAME.fullmatch(domain.name):
        return None
    return "its name is not letters and digits, beginning with a letter"


def _fields(domain: Domain) -> str | None:
    for field, kind in PARTS_OF_A_DOMAIN.items():
        value = getattr(domain, field)
        if not isinstance(value, kind):
            return f"its {field} is a {type(value).__name__}, not a {kind.__name__}"
        for name in FUNCTIONS[field]:
            if not callable(getattr(value, name)):
                return f"{name} is a {type(getattr(value, name)).__name__}, not a function"
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


Complaint = Callable[[Any, tuple[Any, ...]], str | None]
"""What a function gave, and its arguments -> what is wrong with it, or None."""
MAX_SHOWN = 80
"""Characters of a value in a message."""
MAX_CHECKED = 500
"""Results of an operation whose parts are looked at: what is wrong with them is seen in the first,
and search calls operations very often."""


def guarded(domain: Domain) -> Domain:
    """The same domain, whose functions raise `DomainError` where they fail."""
    name = f"domain {domain.name!r}"
    language, words, syntax = domain.language, domain.words, domain.syntax
    fields = {
        "language": replace(
            language,
            algebra=_algebra(language.algebra, name),
            read=_guard(language.read, f"{name}: read", _interned_meaning, shown=1),
            render=_guard(language.render, f"{name}: render", _is(str)),
            guide=language.guide and _guide(language.guide, f"{name}: guide"),
            finishing={
                step: _guard(function, f"{name}: finishing step {step}", _is(Meaning), shown=1)
                for step, function in language.finishing.items()
            },
        ),
        "words": replace(
            words,
            induce=_guard(words.induce, f"{name}: induce", _lexicon, shown=0),
            ground=_guard(words.ground, f"{name}: ground", _interned_meaning, shown=1),
            unknown=_guard(words.unknown, f"{name}: unknown", _all(Primitive)),
            hint=_guard(words.hint, f"{name}: hint", _is(str)),
            alike=_guard(words.alike, f"{name}: alike", _is(Primitive)),
            joined=_guard(words.joined, f"{name}: joined", _all(Primitive)),
            seen_as=_guard(words.seen_as, f"{name}: seen_as", _is(str)),
            tokenize=_guard(words.tokenize, f"{name}: tokenize", _tokens),
            second_sentence=_guard(
                words.second_sentence, f"{name}: second_sentence", _is(str), shown=1
            ),
            gazetteer=_guard(words.gazetteer, f"{name}: gazetteer", _is(tuple), shown=0),
        ),
        "corpus": replace(
            domain.corpus, load=_guard(domain.corpus.load, f"{name}: load", _rows, shown=2)
        ),
        "syntax": replace(
            syntax,
            category=_guard(syntax.category, f"{name}: category", _is(str), accepted=(str,)),
            argument=syntax.argument and _guard(syntax.argument, f"{name}: argument", _is(str)),
            head=syntax.head and _guard(syntax.head, f"{name}: head", _is(str)),
        ),
        "metrics": replace(
            domain.metrics,
            conjuncts=_guard(domain.metrics.conjuncts, f"{name}: conjuncts", _is(frozenset)),
            primitives=_guard(domain.metrics.primitives, f"{name}: primitives", _is(frozenset)),
        ),
        "other_algebras": {key: guarded(other) for key, other in domain.other_algebras.items()},
    }
    return replace(domain, **fields)  # type: ignore[arg-type]


def cause(error: BaseException, file: str = "") -> str:
    """An exception in one line, with the last line of a file that it went through."""
    line = last_line(error, file)
    place = f" ({Path(file).name}:{line})" if line else ""
    message = (str(error).splitlines() or [""])[0]
    return f"raised {type(error).__name__}{message and f': {message}'}{place}"


def last_line(error: BaseException, file: str) -> int:
    """The last line of a file that an exception went through; 0 if it went through none."""
    line, frame = 0, error.__traceback__
    names = (file, str(Path(file).absolute()))  # modules know their files by whole paths
    while frame is not None:
        if frame.tb_frame.f_code.co_filename in names:
            line = frame.tb_lineno
        frame = frame.tb_next
    return line


def _guard(
    function: Callable[..., Any],
    place: str,
    complaint: Complaint,
    shown: int | None = None,
    accepted: Container[type] = (),
) -> Callable[..., Any]:
    """A function that says where it failed.

    Args:
        function: The function.
        place: What the domain calls it.
        complaint: Looks at what it gave.
        shown: How many of its arguments are told; None is all.
        accepted: Types of what it gave that need not be looked at.
    """

    def call(*arguments: Any) -> Any:
        try:
            result = function(*arguments)
        except (LearError, RecursionError):  # these are told apart where they are caught
            raise
        except Exception as error:
            reason = cause(error, _file_of(error))
            raise DomainError(f"{place} {reason}{_on(arguments[:shown])}") from error
        if type(result) in accepted:
            return result
        wrong = complaint(result, arguments)
        if wrong is not None:
            raise DomainError(f"{place} {wrong}{_on(arguments[:shown])}")
        return result

    return call


def _file_of(error: BaseException) -> str:
    """The file of the last line that an exception went through outside lear and libraries."""
    own = str(Path(__file__).parent.parent)
    file, frame = "", error.__traceback__
    while frame is not None:
        name = frame.tb_frame.f_code.co_filename
        if not name.startswith(own) and "site-packages" not in name and Path(name).is_file():
            file = name
        frame = frame.tb_next
    return file


def _algebra(algebra: Algebra, name: str) -> Algebra:
    operations = tuple(_operation(operation, name) for operation in algebra.operations)
    is_complete = _guard(algebra.is_complete, f"{name}: is_complete", _is(bool))
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
    function = _guard(operation.function, place, complaint, accepted=accepted)
    return replace(operation, function=function)


def _guide(guide: Guide, place: str) -> Guide:
    def guarded_guide(gold: Meaning) -> Callable[[Meaning], bool]:
        test = make_test(gold)
        guarded_test: Callable[[Meaning], bool]
        guarded_test = _guard(test, place, _is(bool), accepted=(bool,))
        return guarded_test

    make_test = _guard(guide, place, _function)
    return guarded_guide


def _function(result: Any, arguments: tuple[Any, ...]) -> str | None:
    del arguments
    return None if callable(result) else _not("a function", result)


def _is(kind: type) -> Complaint:
    def complaint(result: Any, arguments: tuple[Any, ...]) -> str | None:
        del arguments
        return None if isinstance(result, kind) else _not(f"a {kind.__name__}", result)

    return complaint


def _all(kind: type) -> Complaint:
    def complaint(result: Any, arguments: tuple[Any, ...]) -> str | None:
        del arguments
        is_right = isinstance(result, Sequence) and all(isinstance(item, kind) for item in result)
        return None if is_right else _not(f"a sequence of {kind.__name__}s", result)

    return complaint


def _tokens(result: Any, arguments: tuple[Any, ...]) -> str | None:
    del arguments
    is_right = isinstance(result, tuple) and all(isinstance(token, str) for token in result)
    return None if is_right else _not("a tuple of words", result)


def _interned_meaning(result: Any, arguments: tuple[Any, ...]) -> str | None:
    """The last argument of `read` and `ground` is the table."""
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


def _on(arguments: tuple[Any, ...]) -> str:
    shown = ", ".join(map(_shown, arguments))
    return f", on {shown}" if shown else ""


def _shown(value: object) -> str:
    text = repr(value.name) if isinstance(value, Benchmark) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
