"""The GEO domain: the search guide, rows with other names, execution, and all parts together."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from lear.algebra.algebra import Meaning
from lear.benchmark import Example, FindFile
from lear.domain import (
    AnswerCheck,
    Corpus,
    Domain,
    Execution,
    Language,
    Metrics,
    Shape,
    Syntax,
    Words,
    type_name,
)
from lear.domains.geo import total
from lear.domains.geo.algebra import (
    GEO_ALGEBRA,
    Entity,
    Negated,
    Negation,
    Predicate,
    Proposition,
    argument_symbol,
    category,
    chain_of_meaning,
    conjuncts,
    is_country,
    joints,
    primitives,
    read,
    render,
    render_part,
    without_brackets,
)
from lear.domains.geo.corpus import ANSWERS, BENCHMARKS, benchmark_named, gazetteer, load
from lear.domains.geo.facts import read_facts, shipped_facts, unit_of
from lear.domains.geo.functions import (
    Chain,
    Fork,
    Program,
    chain_of,
    check,
    fill_all,
    lower_most,
    open_all,
    raise_most,
    read_program,
)
from lear.domains.geo.interpreter import Answer, Interpreter, find_misses, read_gold
from lear.domains.geo.lexicon import (
    alike,
    ground,
    induce,
    induce_with_relatives,
    unknown,
)
from lear.domains.geo.total import TOTAL_ALGEBRA
from lear.domains.geo.words import everyday_words, second_sentence, sort_of_name, tokenize
from lear.lexicon.lexicon import Lexicon, Unit


def guide(gold: Meaning) -> Callable[[Meaning], bool]:
    """Return a test that every meaning in every derivation of `gold` passes."""
    chains = list(_chains(lower_most(open_all(chain_of_meaning(gold)))))
    slices = {
        functions[begin:end]
        for functions, _ in chains
        for begin in range(len(functions))
        for end in range(begin + 1, len(functions) + 1)
    }
    tails = {
        Chain(functions[begin:], end)
        for functions, end in chains
        for begin in range(len(functions) + 1)
    }
    ends = {end for _, end in chains if isinstance(end, str)}
    names = ends | {part for end in ends for part in end.split(", ")}
    cities = tuple(end.partition(",")[0] for end in ends if end.startswith("cityid"))
    operations = {end.operation for _, end in chains if isinstance(end, Fork)}

    def is_part(meaning: Meaning) -> bool:
        match meaning:
            case Predicate():
                return meaning.functions in slices
            case Proposition():
                return meaning.chain in tails
            case Negation():
                return meaning.operation in operations
            case Negated():
                return meaning.operation in operations and meaning.chain in tails
            case Entity(text=text):
                is_part_of_city = bool(cities) and text.startswith(("stateid", *cities))
                return text in names or is_part_of_city or is_country(meaning)
        return False

    return is_part


def _chains(chain: Chain) -> Iterator[Chain]:
    """Yield a chain and all chains in its forks."""
    yield chain
    if isinstance(chain.end, Fork):
        yield from _chains(chain.end.left)
        yield from _chains(chain.end.right)


class Name(NamedTuple):
    """What a row has a name for."""

    begin: int
    unit: Unit
    form: str
    """In FunQL."""


def renamed_rows(
    examples: Sequence[Example], lexicon: Lexicon, rng: random.Random
) -> Iterator[Example]:
    """Yield a row for each name in a row and each choice of sorts that the name could be one of."""
    ambiguous = _ambiguous_names(lexicon)
    for example in examples:
        for name in _names(example, lexicon):
            for sorts, units in ambiguous.items():
                if sort_of_name(name.form) not in sorts:
                    continue
                unit = rng.choice(units)
                form = _names_by_sort(lexicon, unit)[sort_of_name(name.form)]
                if unit != name.unit and form not in example.form:
                    end = name.begin + len(name.unit)
                    tokens = (*example.tokens[: name.begin], *unit, *example.tokens[end:])
                    yield replace(
                        example, tokens=tokens, form=example.form.replace(name.form, form)
                    )


def _ambiguous_names(lexicon: Lexicon) -> dict[tuple[str, ...], list[Unit]]:
    """Sorts -> the names that things of all these sorts have, and of no others."""
    by_sorts: dict[tuple[str, ...], list[Unit]] = {}
    for unit in lexicon.units:
        sorts = tuple(sorted(_names_by_sort(lexicon, unit)))
        if len(sorts) > 1:
            by_sorts.setdefault(sorts, []).append(unit)
    return by_sorts


def _names_by_sort(lexicon: Lexicon, unit: Unit) -> dict[str, str]:
    """Map sorts to what a unit is the name of, in FunQL."""
    forms = (entry.primitive.symbol for entry in lexicon.units[unit])
    return {sort: form for form in forms if (sort := sort_of_name(form))}


def _names(example: Example, lexicon: Lexicon) -> Iterator[Name]:
    """Yield the names in a sentence that its form has, each once in both."""
    begin = 0
    units = list(lexicon.segment(example.tokens))
    for unit in units:
        if unit in lexicon.units and units.count(unit) == 1:
            for form in _names_by_sort(lexicon, unit).values():
                if example.form.count(form) == 1:
                    yield Name(begin, unit, form)
        begin += len(unit)


def open_store(path: Path | None, find: FindFile) -> Callable[[str], Answer]:
    """Return a function that executes programs on a file of facts, or on the facts that ship.

    Args:
        path: A file of facts in Geobase's format.
        find: Not used: the facts that ship are not in the data folder.
    """
    del find
    run = _runner(path)
    return lambda form: run(read_program(form))


def check_answers(path: Path | None, find: FindFile) -> AnswerCheck:
    """Execute the programs of all questions with gold answers, and compare."""
    rows = read_gold(find(ANSWERS))
    misses = find_misses(_runner(path), rows)
    return AnswerCheck(
        len(rows),
        [
            {
                "question": miss.gold.question,
                "form": str(miss.gold.program),
                "gold": miss.gold.answer,
                "answer": miss.answer,
                "cause": miss.cause,
            }
            for miss in misses
        ],
    )


def _runner(path: Path | None) -> Callable[[Program], Answer]:
    interpreter = Interpreter(shipped_facts() if path is None else read_facts(path))

    def run(program: Program) -> Answer:
        check(chain_of(program))
        return interpreter.run(program)

    return run


def _finishing(change: Callable[[Chain], Chain]) -> Callable[[Meaning, Sequence[str]], Meaning]:
    return lambda meaning, _: Proposition(change(chain_of_meaning(meaning)))


FINISHING = {"fill_all": _finishing(fill_all), "raise_most": _finishing(raise_most)}
CORPUS = Corpus(BENCHMARKS, load, benchmark_named)
METRICS = Metrics(conjuncts, primitives, lenient=without_brackets)
EXECUTION = Execution(open_store, check_answers, unit_of)

TOTAL_GEO = Domain(
    name="geo",
    language=Language(TOTAL_ALGEBRA, read, render, finishing=FINISHING),
    words=Words(
        induce,
        total.ground,
        alike=alike,
        tokenize=tokenize,
        second_sentence=second_sentence,
        gazetteer=gazetteer,
        everyday=everyday_words(),
        by_hand=total.by_hand,
    ),
    corpus=CORPUS,
    syntax=Syntax(
        category=total.category,
        argument=type_name,
        is_well_typed=total.is_well_typed,
    ),
    metrics=METRICS,
    execution=EXECUTION,
)

GEO = Domain(
    name="geo",
    language=Language(GEO_ALGEBRA, read, render, guide, FINISHING, render_part),
    words=Words(
        induce,
        ground,
        unknown,
        alike=alike,
        tokenize=tokenize,
        second_sentence=second_sentence,
        gazetteer=gazetteer,
        everyday=everyday_words(),
        related=induce_with_relatives,
        renamed=renamed_rows,
        keeps_forms=True,
        max_needless=0.2,
    ),
    corpus=CORPUS,
    syntax=Syntax(Shape(after=False), category, argument_symbol, joints=joints),
    metrics=METRICS,
    execution=EXECUTION,
    other_algebras={"total": TOTAL_GEO},
)
