"""Languages of our own as files of pairs, to try what is learned from pairs alone.

`python -m tests.support.pair_languages FOLDER` writes them: a calendar in nested calls, orders in a
cafe as S-expressions, and arithmetic. Their test rows have more arguments, more items, longer
expressions and names that training rows do not have. Where LEAR_DATA has GeoQuery, its questions
with real names are written, too, with their programs as they are.
"""

import csv
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

Pair = tuple[str, str]
PEOPLE = "Ann Bob Carla Dmitri Eve Farid Gina Hugo Ines Jack Kim Liam Mona Nadia".split()  # noqa: SIM905
NEW_PEOPLE = ["Omar", "Pia", "Quinn", "Rosa", "Sam", "Tess"]
EVENTS = {"a call": "call", "a meeting": "meeting", "lunch": "lunch", "a review": "review"}
TOPICS = {"the budget": "budget", "the roadmap": "roadmap", "hiring": "hiring", "sales": "sales"}
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday"]
PLACES = {"the blue room": "blue_room", "the attic": "attic", "the lab": "lab"}
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
DRINKS = ["coffee", "tea", "latte", "espresso"]
FOODS = ["bagel", "muffin"]
TOPPINGS = ["milk", "sugar", "butter", "honey"]


def calendar(rng: random.Random, max_details: int, people: list[str]) -> Pair:
    """`schedule lunch with Ann on monday`: optional arguments in a fixed order, said in any."""
    said_event, event = rng.choice(list(EVENTS.items()))
    details = [
        _with_people(rng, people),
        _named(rng, "about", TOPICS),
        _named(rng, "on", {day: day for day in DAYS}),
        _at(rng),
        _named(rng, "in", PLACES),
    ]
    chosen = rng.sample(range(len(details)), rng.randint(0, max_details))
    said = " ".join([said_event, *(details[place][0] for place in chosen)])
    form = ", ".join([event, *(details[place][1] for place in sorted(chosen))])
    the_said = said.replace("a ", "the ", 1) if said.startswith("a ") else said
    day = rng.choice(DAYS)
    verb = rng.choice(["schedule", "set up", "book"])
    return rng.choice(
        [
            (f"{verb} {said}", f"create({form})"),
            (f"please {verb} {said}", f"create({form})"),
            (f"{rng.choice(['cancel', 'drop'])} {the_said}", f"cancel(find({form}))"),
            (f"move {the_said} to {day}", f"move(find({form}), {day})"),
            (f"when is {the_said}", f"ask(time, find({form}))"),
            (f"where is {the_said}", f"ask(place, find({form}))"),
        ]
    )


def _with_people(rng: random.Random, people: list[str]) -> Pair:
    one, other = rng.sample(people, 2)
    if rng.random() < 0.3:
        return f"with {one} and {other}", f"with(both(person({one}), person({other})))"
    return f"with {one}", f"with(person({one}))"


def _named(rng: random.Random, word: str, names: dict[str, str]) -> Pair:
    said, name = rng.choice(list(names.items()))
    return f"{word} {said}", f"{word}({name})"


def _at(rng: random.Random) -> Pair:
    hour, half = rng.randint(1, 12), rng.choice(["am", "pm"])
    said = rng.choice([NUMBERS[hour], str(hour)])
    return f"at {said} {half}", f"at({hour % 12 + 12 * (half == 'pm'):02}:00)"


def order(rng: random.Random, max_items: int) -> Pair:
    """`two large teas with milk to go`: lists, optional arguments, symbols that no word says."""
    items = [_item(rng) for _ in range(rng.randint(1, max_items))]
    said = [words for words, _ in items]
    text = said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
    start = rng.choice(["i would like ", "can i have ", "", "please give me "])
    end, form = rng.choice([(" to go", " to_go"), (" for here", " for_here"), ("", ""), ("", "")])
    return f"{start}{text}{end}", f"(order {' '.join(form for _, form in items)}{form})"


def _item(rng: random.Random) -> Pair:
    product = rng.choice(DRINKS + FOODS)
    number = rng.randint(1, 5)
    words, form = (
        [rng.choice(["a", "one"]) if number == 1 else NUMBERS[number]],
        [str(number), product],
    )
    if product in DRINKS and rng.random() < 0.4:
        size = rng.choice(["small", "medium", "large"])
        words.append(size)
        form.append(f"(size {size})")
    if product in DRINKS and rng.random() < 0.2:
        words.append("iced")
        form.append("iced")
    words.append(f"{product}s" if number > 1 else product)
    for place, topping in enumerate(rng.sample(TOPPINGS, rng.choice([0, 0, 1, 1, 2]))):
        words += ["and" if place else "with", topping]
        form.append(f"(add {topping})")
    return " ".join(words), f"(item {' '.join(form)})"


def arithmetic(rng: random.Random, size: int) -> Pair:
    """`two plus double three times four`: recursion, and an order in which words bind."""
    terms = [
        _chain("times", "multiply", [_factor(rng) for _ in range(rng.randint(1, size))])
        for _ in range(rng.randint(1, size))
    ]
    return _chain("plus", "add", terms)


def _factor(rng: random.Random) -> Pair:
    value = rng.randint(0, 6)
    if rng.random() < 0.3:
        return f"double {NUMBERS[value]}", f"double({value})"
    return NUMBERS[value], str(value)


def _chain(word: str, symbol: str, items: list[Pair]) -> Pair:
    words, form = items[0]
    for more_words, more in items[1:]:
        words, form = f"{words} {word} {more_words}", f"{symbol}({form}, {more})"
    return words, form


def make_rows(
    train: Callable[[random.Random], Pair],
    test: Callable[[random.Random], Pair],
    counts: tuple[int, int, int],
    seed: int,
) -> list[tuple[str, str, str]]:
    """Different rows of train, dev and test, so many of each."""
    rng = random.Random(seed)
    rows: dict[str, tuple[str, str]] = {}
    for part, count in zip(("train", "dev", "test"), counts, strict=True):
        make = test if part == "test" else train
        wanted = len(rows) + count
        while len(rows) < wanted:
            words, form = make(rng)
            rows.setdefault(words, (form, part))
    return [(words, form, part) for words, (form, part) in rows.items()]


def languages(seed: int = 1) -> dict[str, list[tuple[str, str, str]]]:
    """Name -> rows: utterance, form and split."""
    return {
        "calendar": make_rows(
            lambda rng: calendar(rng, 2, PEOPLE),
            lambda rng: calendar(rng, 4, PEOPLE + NEW_PEOPLE),
            (150, 20, 80),
            seed,
        ),
        "order": make_rows(
            lambda rng: order(rng, 2), lambda rng: order(rng, 4), (120, 20, 80), seed
        ),
        "arithmetic": make_rows(
            lambda rng: arithmetic(rng, 3), lambda rng: arithmetic(rng, 5), (300, 30, 100), seed
        ),
    }


def write_rows(path: Path, rows: list[tuple[str, str, str]]) -> None:
    """A file of pairs."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(("utterance", "form", "split"))
        writer.writerows(rows)


def geo_questions(folder: Path) -> list[tuple[str, str, str]]:
    """The 600 and 280 questions of GeoQuery; every tenth of the 600 is a dev row as well."""
    questions = (folder / "questions.txt").read_text().splitlines()
    programs = (folder / "queries.funql").read_text().splitlines()
    test = set(map(int, (folder / "test_indexes.txt").read_text().split()))
    pairs = list(zip(questions, programs, strict=True))
    train = [(*pair, "train") for number, pair in enumerate(pairs) if number not in test]
    dev = [(words, form, "dev") for words, form, _ in train[::10]]
    return [*train, *dev, *((*pairs[number], "test") for number in sorted(test))]


def large_calendar(seed: int = 1) -> list[tuple[str, str, str]]:
    """15,000 training rows of up to five details, to measure time with."""

    def row(rng: random.Random) -> Pair:
        return calendar(rng, 5, PEOPLE)

    return make_rows(row, row, (15_000, 500, 500), seed)


if __name__ == "__main__":
    root = Path(sys.argv[1])
    root.mkdir(parents=True, exist_ok=True)
    write_rows(root / "large.csv", large_calendar())
    for name, rows in languages().items():
        write_rows(root / f"{name}.csv", rows)
    geo = Path(os.environ.get("LEAR_DATA", "")) / "geo/funql_880"
    if geo.is_dir():
        write_rows(root / "geo.csv", geo_questions(geo))
