"""`make_domain`: a domain from what only its author knows; all else is derived or a default."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lear.algebra.algebra import Algebra, Meaning, MeaningTable, Primitive
from lear.algebra.meanings import intern_all
from lear.benchmark import Example
from lear.domain import ONE_WORD, Corpus, Domain, Language, Shape, Syntax, Words, type_name
from lear.errors import AlgebraError, DomainError
from lear.lexicon.alignment import alignment_inducer


def make_domain(
    name: str,
    operations: Iterable[Callable[..., Meaning | None]],
    *,
    read: Callable[[str], Meaning],
    render: Callable[[Any], str],
    primitives: Callable[[str], Iterable[tuple[str, str]]],
    ground: Mapping[str, Callable[[str], Meaning]],
    corpus: Corpus,
    complete: type[Meaning] | tuple[type[Meaning], ...] = Meaning,
    finish: Callable[[Any], Meaning] | None = None,
    category: Callable[[Any], str] = type_name,
    guide: Callable[[Any], Callable[[Any], bool]] | None = None,
    once: bool = False,
    tokenize: Callable[[str], Sequence[str]] = str.split,
    shape: Shape = ONE_WORD,
) -> Domain:
    """Return a domain that interns meanings itself, and whose lexicon comes by alignment.

    Args:
        name: What the commands call it.
        operations: Annotated functions; the docstring of each is an example.
        read: Form -> meaning; `lear.errors.FormError` says what cannot be read.
        render: Meaning -> form, exactly as the rows write it.
        primitives: Form -> type and symbol of all in it that words stand for, as often as they do.
        ground: Type of a primitive -> what makes a meaning of its symbol.
        corpus: Benchmarks and rows (`lear.domains.pairs`).
        complete: The types of meanings that a whole sentence can have.
        finish: What the meaning of a whole sentence goes through, where `read` gives another type.
        category: Meaning -> its category; meanings of one category accept the same operations.
        guide: Gold meaning -> whether a meaning can be a part of it; saves time.
        once: Says that forms repeat what a sentence says once.
        tokenize: Text -> tokens, for what people type.
        shape: Where function words may stand.
    """

    def read_all(form: str, tokens: Sequence[str], table: MeaningTable) -> Meaning:
        del tokens
        return intern_all(_meaning(name, "read", read(form)), table)

    def ground_all(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
        del position
        if primitive.type not in ground:
            raise AlgebraError(f"domain {name!r} grounds no primitives of type {primitive.type!r}")
        return intern_all(_meaning(name, "ground", ground[primitive.type](primitive.symbol)), table)

    def primitives_of(row: Example) -> list[Primitive]:
        return [_primitive(name, pair, row.form) for pair in primitives(row.form)]

    def finish_all(meaning: Meaning, tokens: Sequence[str]) -> Meaning:
        del tokens
        assert finish is not None  # else this is no finishing step
        return finish(meaning)

    algebra = Algebra.of(name, operations, lambda meaning: isinstance(meaning, complete))
    return Domain(
        name=name,
        language=Language(
            algebra, read_all, render, guide, {} if finish is None else {"finish": finish_all}
        ),
        words=Words(
            alignment_inducer(name, primitives_of, once=once),
            ground_all,
            tokenize=lambda text: tuple(tokenize(text)),
        ),
        corpus=corpus,
        syntax=Syntax(shape, category),
    )


def _meaning(domain: str, function: str, value: Any) -> Meaning:
    if not isinstance(value, Meaning):
        raise DomainError(f"domain {domain!r}: {function} gave {value!r}, not a Meaning")
    return value


def _primitive(domain: str, pair: Any, form: str) -> Primitive:
    match pair:
        case (str() as kind, str() as symbol):
            return Primitive(kind, symbol)
    raise DomainError(
        f"domain {domain!r}: primitives gave {pair!r}, not a type and a symbol, on {form!r}"
    )
