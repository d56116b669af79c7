"""A language of one's own in one file: `two plus double three` means `add ( 2 , double ( 3 ) )`.

`lear check examples/arithmetic.py` looks for mistakes, `lear train examples/arithmetic.py --output
runs/arithmetic` trains. `python examples/arithmetic.py` does so in Python: it trains on short
expressions in seconds, then reads longer ones and works them out.
"""

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lear import FormError, Meaning, make_domain, pairs_corpus, register
from lear.algebra.drawing import as_text


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
def read(form: str) -> Number:
    """Shift words; at a closing bracket, reduce to the operation before the opening one."""
    stack: list[Number | str] = []
    for word in form.split():
        if word == ")" and "(" in stack:
            begin = len(stack) - stack[::-1].index("(")
            arguments = [part for part in stack[begin:] if isinstance(part, Number)]
            operation = stack[begin - 2] if begin > 1 else None
            if not isinstance(operation, Number) or not arguments:
                raise FormError(f"brackets do not fit in {form!r}")
            stack[begin - 2 :] = [Number(operation.name, tuple(arguments))]
        else:
            stack.append(word if word in ("(", ",", ")") else Number(word))
    match stack:
        case [Number() as number]:
            return number
    raise FormError(f"not one expression: {form!r}")


def render(number: Number) -> str:
    inside = " , ".join(map(render, number.arguments))
    return f"{number.name} ( {inside} )" if inside else number.name


# 3. What words may stand for; which word stands for what is worked out from the rows.
def primitives(form: str) -> Iterator[tuple[str, str]]:
    return (("Number", word) for word in form.split() if word.isdecimal())


def category(number: Number) -> str:
    """What the grammar tells apart: constants and the three operations."""
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


def rows(part: str, count: int, size: int) -> Iterator[tuple[str, str, str]]:
    rng = random.Random(part)
    return ((*expression(rng, size), part) for _ in range(count))


# 5. All of it in one value; what is not said here has a default.
ARITHMETIC = make_domain(
    "arithmetic",
    (add, multiply, double),
    read=read,
    render=render,
    primitives=primitives,
    ground={"Number": Number},
    category=category,
    corpus=pairs_corpus(
        "arithmetic", [*rows("train", 300, 3), *rows("dev", 300, 3), *rows("test", 100, 5)]
    ),
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
    from lear.evaluation.scores import evaluate
    from lear.learning.config import find_recipe, load_config
    from lear.learning.run import train
    from lear.learning.run_folder import RunFolder

    register(ARITHMETIC)
    (benchmark,) = ARITHMETIC.corpus.benchmarks
    parts = {
        part: ARITHMETIC.corpus.load(benchmark, part, lambda file: Path(file.path))
        for part in ("train", "dev", "test")
    }
    config = load_config(find_recipe("arithmetic"), {"benchmark": f'"{benchmark.name}"'})
    with tempfile.TemporaryDirectory() as folder:
        parser = train(config, ARITHMETIC, parts, RunFolder(Path(folder) / "run"))
    scores = evaluate(parser, parts["test"])
    print(f"long expressions: {100 * scores.overall.exact_match:.1f} % exact")
    parse = parser("two times double three plus four times five times two")
    assert parse.derivation is not None and parse.meaning is not None
    print(as_text(parse.derivation, parse.tokens))
    print(f"=> {parse.form} = {value(parse.meaning)}")


if __name__ == "__main__":
    main()
