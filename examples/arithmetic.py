"""A language of one's own in one file: `two plus double three` means `add ( 2 , double ( 3 ) )`.

Run it: `python examples/arithmetic.py`. It trains on short expressions in seconds, then reads
longer ones and works them out. docs/your-own-domain.md goes through it.
"""

import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from lear.core.algebra import Algebra, Meaning, MeaningTable
from lear.core.drawing import as_text
from lear.core.lexicon import Primitive
from lear.domain.domain import Corpus, Domain, Language, Syntax, Words
from lear.domain.example import Benchmark, Example
from lear.domains.registry import register
from lear.errors import FormError
from lear.induction.cover_lexicon import cover_inducer


# 1. Types and operations. A number is a constant or an operation on numbers.
class Number(Meaning, frozen=True):
    name: str
    arguments: "tuple[Number, ...]" = ()


def add(left: Number, right: Number) -> Number:
    """`two plus three  =>  add ( 2 , 3 )`."""
    return Number("add", (left, right))


def multiply(left: Number, right: Number) -> Number | None:
    """`two times three  =>  multiply ( 2 , 3 )`."""
    # Products bind tighter: a sum is no factor. Types and such tests are all the grammar there is.
    return None if "add" in (left.name, right.name) else Number("multiply", (left, right))


def double(number: Number) -> Number | None:
    """`double three  =>  double ( 3 )`."""
    return None if number.name in ("add", "multiply") else Number("double", (number,))


# 2. From forms to meanings and back.
def read(form: str, tokens: Sequence[str], table: MeaningTable) -> Number:
    """Shift words; at a closing bracket, reduce to the operation before the opening one."""
    del tokens
    stack: list[Number | str] = []
    for word in form.split():
        if word == ")" and "(" in stack:
            begin = len(stack) - stack[::-1].index("(")
            arguments = [part for part in stack[begin:] if isinstance(part, Number)]
            operation = stack[begin - 2] if begin > 1 else None
            if not isinstance(operation, Number) or not arguments:
                raise FormError(f"brackets do not fit in {form!r}")
            stack[begin - 2 :] = [table.intern(Number(operation.name, tuple(arguments)))]
        else:
            stack.append(word if word in ("(", ",", ")") else table.intern(Number(word)))
    match stack:
        case [Number() as number]:
            return number
    raise FormError(f"not one expression: {form!r}")


def render(number: Meaning) -> str:
    assert isinstance(number, Number)
    inside = " , ".join(map(render, number.arguments))
    return f"{number.name} ( {inside} )" if inside else number.name


# 3. Words: which of them are constants is worked out from the rows.
def primitives_of(row: Example) -> Iterator[Primitive]:
    return (Primitive("Number", word) for word in row.form.split() if word.isdecimal())


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    del position
    return table.intern(Number(primitive.symbol))


def category(number: Meaning) -> str:
    """What the grammar tells apart: constants and the three operations."""
    assert isinstance(number, Number)
    return number.name if number.arguments else "constant"


# 4. Rows: short ones to learn from, long ones to be tested on.
CONSTANTS = ("zero", "one", "two", "three", "four", "five", "six")


def chain(word: str, operation: str, items: list[tuple[str, str]]) -> tuple[str, str]:
    """Expressions with a word between them, and the form of it, built from the left."""
    words, form = items[0]
    for more_words, more in items[1:]:
        words, form = f"{words} {word} {more_words}", f"{operation} ( {form} , {more} )"
    return words, form


def expression(rng: random.Random, size: int) -> tuple[str, str]:
    """Words and form of a random expression; products before sums."""

    def factor() -> tuple[str, str]:
        value = rng.randrange(len(CONSTANTS))
        if rng.random() < 0.3:
            return f"double {CONSTANTS[value]}", f"double ( {value} )"
        return CONSTANTS[value], str(value)

    def term() -> tuple[str, str]:
        return chain("times", "multiply", [factor() for _ in range(rng.randint(1, size))])

    return chain("plus", "add", [term() for _ in range(rng.randint(1, size))])


def load(benchmark: Benchmark, part: str, find: object) -> list[Example]:
    del benchmark, find
    rng = random.Random(part)
    size, count = (5, 100) if part == "test" else (3, 300)
    rows = [expression(rng, size) for _ in range(count)]
    return [Example(tuple(w.split()), f, part, f"{part}:{n}") for n, (w, f) in enumerate(rows, 1)]


# 5. All of it in one value; what is not said here has a default.
ARITHMETIC = Domain(
    name="arithmetic",
    language=Language(
        Algebra.of("arithmetic", (add, multiply, double), is_complete=lambda _: True), read, render
    ),
    words=Words(cover_inducer("arithmetic", primitives_of), ground),
    corpus=Corpus(
        (Benchmark("arithmetic/long", "short ones to train on, long ones to test"),), load
    ),
    syntax=Syntax(category=category),
)


def value(number: Meaning) -> int:
    """Work it out."""
    assert isinstance(number, Number)
    values = [value(argument) for argument in number.arguments]
    match number.name:
        case "add":
            return values[0] + values[1]
        case "multiply":
            return values[0] * values[1]
        case "double":
            return 2 * values[0]
        case constant:
            return int(constant)


def main() -> None:
    """Train on short expressions; score and work out long ones."""
    from lear.evaluation.evaluate import evaluate
    from lear.training.recipes import find_recipe
    from lear.training.run import train
    from lear.training.run_config import load_config
    from lear.training.run_folder import RunFolder

    register(ARITHMETIC)
    (benchmark,) = ARITHMETIC.corpus.benchmarks
    rows = {part: load(benchmark, part, None) for part in ("train", "dev", "test")}
    config = load_config(find_recipe("arithmetic"), {"benchmark": f'"{benchmark.name}"'})
    with tempfile.TemporaryDirectory() as folder:
        parser = train(config, ARITHMETIC, rows, RunFolder(Path(folder) / "run"))
    scores = evaluate(parser, rows["test"])
    print(f"long expressions: {100 * scores.overall.exact_match:.1f} % exact")
    parse = parser("two times double three plus four times five times two")
    assert parse.derivation is not None and parse.meaning is not None
    print(as_text(parse.derivation, parse.tokens))
    print(f"=> {parse.form} = {value(parse.meaning)}")


if __name__ == "__main__":
    main()
