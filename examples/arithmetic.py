"""A language of one's own in one file: `two plus double three` means `add ( 2 , double ( 3 ) )`.

Run it: `python examples/arithmetic.py`. It trains on short expressions in seconds, then reads
longer ones and works them out. docs/your-own-domain.md goes through it.
"""

import random
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from lear.core.algebra import Algebra, Meaning, MeaningTable
from lear.core.shape import Shape
from lear.domain.domain import Domain
from lear.domain.example import Benchmark, Example
from lear.domains.registry import register
from lear.errors import FormError
from lear.induction.covers import Row, induce_by_cover
from lear.core.lexicon import Lexicon, Primitive
from lear.core.drawing import as_text


# 1. Types and operations. A number is a constant or an operation on numbers.
class Number(Meaning, frozen=True):
    symbol: str
    arguments: "tuple[Number, ...]" = ()


def add(left: Number, right: Number) -> Number:
    """`two plus three  =>  add ( 2 , 3 )`."""
    return Number("add", (left, right))


def multiply(left: Number, right: Number) -> Number | None:
    """`two times three  =>  multiply ( 2 , 3 )`."""
    # Products bind tighter: a sum is no factor. Types and such tests are all the grammar there is.
    is_sum = "add" in (left.symbol, right.symbol)
    return None if is_sum else Number("multiply", (left, right))


def double(number: Number) -> Number | None:
    """`double three  =>  double ( 3 )`."""
    return None if number.symbol in ("add", "multiply") else Number("double", (number,))


ALGEBRA = Algebra.of("arithmetic", (add, multiply, double), lambda _: True)
CONSTANTS = {
    name: str(value)
    for value, name in enumerate(["zero", "one", "two", "three", "four", "five", "six"])
}


# 2. Reading and writing forms.
def render(number: Meaning) -> str:
    assert isinstance(number, Number)
    inside = " , ".join(render(argument) for argument in number.arguments)
    return f"{number.symbol} ( {inside} )" if inside else number.symbol


def read(form: str, tokens: Sequence[str], table: MeaningTable) -> Number:
    del tokens
    words = form.split()

    def number() -> Number:
        symbol = words.pop(0)
        arguments = []
        if words and words[0] == "(":
            while (mark := words.pop(0)) in ("(", ","):
                arguments.append(number())
            if mark != ")":
                raise FormError(f"{form!r}: {mark!r} where a bracket should close")
        return table.intern(Number(symbol, tuple(arguments)))

    try:
        found = number()
    except IndexError:
        raise FormError(f"{form!r} ends too early") from None
    if words:
        raise FormError(f"{form!r}: {words[0]!r} is one too many")
    return found


def parts(number: Meaning) -> frozenset[Meaning]:
    """A number and all numbers in it."""
    assert isinstance(number, Number)
    return frozenset({number}).union(*(parts(argument) for argument in number.arguments))


# 3. Words: which of them are constants is worked out from the rows.
def induce(examples: Iterable[Example]) -> Lexicon:
    rows = [
        Row(
            example.tokens,
            frozenset(
                Primitive("Number", word) for word in example.form.split() if word.isdecimal()
            ),
        )
        for example in examples
    ]
    return induce_by_cover("arithmetic", rows, max_candidates=1)


# 4. Rows: short ones to learn from, long ones to be tested on.
def expression(rng: random.Random, size: int) -> tuple[str, str]:
    """Words and form of a random expression without brackets; products before sums."""
    terms = []
    for _ in range(rng.randint(1, size)):
        factors = []
        for _ in range(rng.randint(1, size)):
            word = rng.choice(list(CONSTANTS))
            factor = (word, CONSTANTS[word])
            if rng.random() < 0.3:
                factor = (f"double {word}", f"double ( {CONSTANTS[word]} )")
            factors.append(factor)
        terms.append(folded("times", "multiply", factors))
    return folded("plus", "add", terms)


def folded(word: str, operation: str, items: list[tuple[str, str]]) -> tuple[str, str]:
    words, form = items[0]
    for more_words, more in items[1:]:
        words, form = f"{words} {word} {more_words}", f"{operation} ( {form} , {more} )"
    return words, form


def load(benchmark: Benchmark, part: str, find: object) -> list[Example]:
    del benchmark, find
    rng = random.Random(part)
    size, count = (5, 100) if part == "test" else (3, 300)
    rows = [expression(rng, size) for _ in range(count)]
    return [Example(tuple(w.split()), f, part, f"{part}:{n}") for n, (w, f) in enumerate(rows, 1)]


# 5. All of it in one value. `category` is what a grammar sees of a head, `closed` of an argument.
ARITHMETIC = Domain(
    name="arithmetic",
    algebra=ALGEBRA,
    shape=Shape(beside=1, between=1),
    read=read,
    render=render,
    ground=lambda primitive, _, table: table.intern(Number(primitive.symbol)),
    guide=lambda gold: parts(gold).__contains__,
    induce=induce,
    unknown=lambda _: (),
    category=lambda m: m.symbol if isinstance(m, Number) and m.arguments else "constant",
    closed=lambda m: m.symbol if isinstance(m, Number) and m.arguments else "constant",
    heads={},
    conjuncts=lambda m: frozenset(render(part) for part in parts(m)),
    primitives=lambda m: frozenset(render(part) for part in parts(m) if render(part).isdecimal()),
    lenient=render,
    benchmarks=(Benchmark("arithmetic/long", "short expressions to train on, long ones to test"),),
    load=load,
)


def value(number: Meaning) -> int:
    """Work it out."""
    assert isinstance(number, Number)
    values = [value(argument) for argument in number.arguments]
    match number.symbol:
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
    from lear.training.config import RunConfig, Stage
    from lear.training.run import RunFolder, train

    register(ARITHMETIC)
    benchmark = ARITHMETIC.corpus.benchmarks[0]
    rows = {part: load(benchmark, part, None) for part in ("train", "dev", "test")}
    config = RunConfig(benchmark=benchmark.name, curriculum=(Stage(epochs=10),))
    with tempfile.TemporaryDirectory() as folder:
        parser = train(
            config, ARITHMETIC, rows, RunFolder(Path(folder) / "run"), resume=False, environment={}
        )
    scores = evaluate(parser, rows["test"])
    print(f"long expressions: {100 * scores.overall.exact_match:.1f} % exact")
    parse = parser("two times double three plus four times five times two")
    assert parse.derivation is not None and parse.meaning is not None
    print(as_text(parse.derivation, parse.tokens))
    print(f"=> {parse.form} = {value(parse.meaning)}")


if __name__ == "__main__":
    main()
