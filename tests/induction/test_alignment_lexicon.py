"""The ready inducer: primitives go to the words that bring them, and to no others."""

from itertools import product

from lear.algebra.algebra import Primitive
from lear.benchmark import Example
from lear.lexicon.alignment import ENOUGH, alignment_inducer
from lear.lexicon.covers import cover_inducer

STEPS = {"walk": "WALK", "look": "LOOK", "jump": "JUMP"}
TURNS = {"left": "LEFT", "right": "RIGHT"}


def sentences() -> list[tuple[str, str]]:
    """`around` never stands before `right`, as in a split of SCAN."""
    rows = list(STEPS.items())
    for (word, step), (side, turn) in product(STEPS.items(), TURNS.items()):
        rows.append((f"{word} {side}", f"{turn} {step}"))
        rows.append((f"{word} {side} twice", f"{turn} {step} {turn} {step}"))
        if side == "left":
            rows.append((f"{word} around left", f"{turn} {step} " * 4))
    return rows


def row(words: str, form: str) -> Example:
    return Example(tuple(words.split()), form, "", "")


def primitives_of(example: Example) -> list[Primitive]:
    return [Primitive("Step", symbol) for symbol in example.form.split()]


def test_a_word_that_always_stands_beside_another_takes_nothing_from_it() -> None:
    rows = [row(*pair) for pair in sentences()]
    lexicon = alignment_inducer("steps", primitives_of, once=True)(rows, ())
    symbols = {unit: [e.primitive.symbol for e in group] for unit, group in lexicon.units.items()}
    assert symbols == {(word,): [symbol] for word, symbol in (STEPS | TURNS).items()}
    assert set(lexicon.function_words) == {"around", "twice"}
    covered = cover_inducer("steps", primitives_of)(rows, ())
    assert ("around", "left") in covered.units  # why alignment is the default


def test_primitives_may_repeat_where_words_do() -> None:
    numbers = {"one": "1", "two": "2"}
    pairs = [
        (f"{a} plus {b}", f"{numbers[a]} {numbers[b]}") for a, b in product(numbers, numbers)
    ] * 2
    lexicon = alignment_inducer("sums", primitives_of)([row(*pair) for pair in pairs], ())
    assert {unit[0]: group[0].primitive.symbol for unit, group in lexicon.units.items()} == numbers
    assert set(lexicon.function_words) == {"plus"}


def test_many_rows_that_show_the_same_are_not_all_aligned() -> None:
    rare = [row("fly", "FLY")]
    rows = [row(*pair) for pair in sentences()] * ENOUGH + rare
    lexicon = alignment_inducer("steps", primitives_of, once=True)(rows, ())
    assert lexicon.units[("fly",)][0].primitive.symbol == "FLY"
    assert max(entry.count for group in lexicon.units.values() for entry in group) < 6 * ENOUGH


def test_no_rows_give_no_lexicon() -> None:
    lexicon = alignment_inducer("steps", primitives_of)([], ())
    assert not lexicon.units
    assert not lexicon.function_words
