"""A tiny domain in one file, and one change for each mistake that its author can make."""

from typing import NamedTuple

SOUND = '''
from lear.algebra.algebra import Algebra, Meaning
from lear.algebra.algebra import Primitive
from lear.lexicon.lexicon import Lexicon
from lear.domain import Corpus, Domain, Language, Syntax, Words
from lear.benchmark import Benchmark, Example
from lear.errors import FormError


class Number(Meaning, frozen=True):
    name: str
    inside: tuple = ()


def add(left: Number, right: Number) -> Number | None:
    """one plus two => add 1 2"""
    return Number("add", (left, right))


def double(number: Number) -> Number | None:
    """double two => double 2"""
    return Number("double", (number,))


def read(form, tokens, table):
    words = form.split()
    numbers = [table.intern(Number(word)) for word in words if word.isdecimal()]
    if not numbers:
        raise FormError("no number in it")
    return numbers[0] if len(words) == 1 else table.intern(Number(words[0], tuple(numbers)))


def render(number):
    return " ".join([number.name, *map(render, number.inside)])


def induce(rows, gazetteer):
    counts = {((word,), Primitive("Number", form)): 1 for word, form in WORDS.items()}
    return Lexicon.from_counts("tiny", counts, {"plus": 1, "double": 1})


def ground(primitive, position, table):
    return table.intern(Number(primitive.symbol))


def unknown(word):
    return ()


def guide(gold):
    return lambda meaning: True


def category(number):
    return number.name if number.inside else "constant"


WORDS = {"one": "1", "two": "2"}
ROWS = [("one plus two", "add 1 2"), ("double two", "double 2"), ("one", "1")]


def load(benchmark, part, find):
    return [Example(tuple(w.split()), f, "", f"{part}:{n}") for n, (w, f) in enumerate(ROWS, 1)]


TINY = Domain(
    "tiny",
    Language(Algebra.of("tiny", (add, double), lambda number: True), read, render, guide),
    Words(induce, ground, unknown),
    Corpus((Benchmark("tiny/rows", "three rows"),), load),
    Syntax(category=category),
)
'''


class Mistake(NamedTuple):
    """A change to the sound domain, and the line that tells of it.

    In that line FILE is the file, HERE the line of the change, and LINE any line.
    """

    what: str
    old: str
    new: str
    said: str
    command: str = "coverage"


RAISES = "raise ValueError('no luck')"
MISTAKES = (
    Mistake(
        "operation raises",
        'return Number("add", (left, right))',
        RAISES,
        "test:1: domain 'tiny': operation add raised ValueError: no luck (FILE:HERE), "
        "on Number(name='1', inside=()), Number(name='2', inside=())",
    ),
    Mistake(
        "operation gives text",
        'return Number("add", (left, right))',
        'return "add"',
        "test:1: domain 'tiny': operation add gave 'add', not a Number as its annotation says, "
        "on Number(name='1', inside=()), Number(name='2', inside=())",
    ),
    Mistake(
        "operation makes a part that nobody interns",
        'return Number("add", (left, right))',
        'return Number("add", (left, Number("2")))',
        "test:1: domain 'tiny': operation add made a new Number inside the Number that it gave, "
        "on Number(name='1', inside=()), Number(name='2', inside=())",
    ),
    Mistake(
        "operation gives a list in a field",
        'return Number("add", (left, right))',
        'return Number("add", [left, right])',
        "test:1: operation add: Number.inside is a list; fields are plain values or tuples",
    ),
    Mistake(
        "operation with three arguments",
        "right: Number)",
        "right: Number, more: Number)",
        "FILE:LINE: operation add takes 3 arguments: operations take one or two; "
        "more are taken one after the other",
    ),
    Mistake(
        "operation without annotation",
        "def double(number: Number)",
        "def double(number)",
        "FILE:LINE: operation double lacks an annotation",
    ),
    Mistake(
        "read raises",
        "words = form.split()",
        RAISES,
        "test:1: domain 'tiny': read raised ValueError: no luck (FILE:HERE), on 'add 1 2'",
    ),
    Mistake(
        "read gives nothing",
        "return numbers[0] if",
        "return None if",
        "test:3: domain 'tiny': read gave None, not a meaning, on '1'",
    ),
    Mistake(
        "read does not intern",
        "return numbers[0] if",
        "return Number(words[0]) if",
        "test:3: domain 'tiny': read gave a Number that is not interned "
        "(table.intern, inner parts first), on '1'",
    ),
    Mistake(
        "read does not intern inner parts",
        "numbers = [table.intern(Number(word))",
        "numbers = [Number(word)",
        "test:1: domain 'tiny': read gave a Number that is not interned "
        "(table.intern, inner parts first), on 'add 1 2'",
    ),
    Mistake(
        "form that cannot be read",
        '("one", "1")',
        '("one", "I")',
        "test:3: no number in it",
    ),
    Mistake(
        "load raises",
        "return [Example(",
        f"{RAISES}\n    return [Example(",
        "domain 'tiny': load raised ValueError: no luck (FILE:HERE), on 'tiny/rows', 'train'",
    ),
    Mistake(
        "load gives pairs",
        'return [Example(tuple(w.split()), f, "", f"{part}:{n}")',
        "return [(w, f)",
        "domain 'tiny': load gave ('one plus two', 'add 1 2') as row 1, not an Example, "
        "on 'tiny/rows', 'train'",
    ),
    Mistake(
        "load gives text for tokens",
        "tuple(w.split())",
        "w",
        "domain 'tiny': load gave a row without words or form: train:1, on 'tiny/rows', 'train'",
    ),
    Mistake(
        "no rows",
        "for n, (w, f) in enumerate(ROWS, 1)",
        "for n, (w, f) in enumerate(ROWS, 1) if 0",
        "tiny/rows: there are no train rows",
    ),
    Mistake(
        "no dev rows",
        "for n, (w, f) in enumerate(ROWS, 1)",
        "for n, (w, f) in enumerate(ROWS, 1) if part != 'dev'",
        "tiny/rows: there are no dev rows",
        "train",
    ),
    Mistake(
        "no test rows",
        "for n, (w, f) in enumerate(ROWS, 1)",
        "for n, (w, f) in enumerate(ROWS, 1) if part != 'test'",
        "tiny/rows: there are no test rows",
    ),
    Mistake(
        "induce raises",
        "counts = {",
        f"{RAISES}\n    counts = {{",
        "domain 'tiny': induce raised ValueError: no luck (FILE:HERE)",
    ),
    Mistake(
        "induce gives a dictionary",
        "return Lexicon.from_counts(",
        "return dict(",
        "domain 'tiny': induce raised",
    ),
    Mistake(
        "induce gives nothing",
        "return Lexicon.from_counts(",
        "Lexicon.from_counts(",
        "domain 'tiny': induce gave None, not a Lexicon",
    ),
    Mistake(
        "ground raises",
        "return table.intern(Number(primitive.symbol))",
        RAISES,
        "domain 'tiny': ground raised ValueError: no luck (FILE:HERE), "
        "on Primitive(type='Number', symbol='1', feature='')",
    ),
    Mistake(
        "ground gives text",
        "return table.intern(Number(primitive.symbol))",
        "return primitive.symbol",
        "domain 'tiny': ground gave '1', not a meaning, "
        "on Primitive(type='Number', symbol='1', feature='')",
    ),
    Mistake(
        "ground does not intern",
        "return table.intern(Number(primitive.symbol))",
        "return Number(primitive.symbol)",
        "domain 'tiny': ground gave a Number that is not interned (table.intern, inner parts "
        "first), on Primitive(type='Number', symbol='1', feature='')",
    ),
    Mistake(
        "unknown gives text",
        "return ()",
        'return ["?"]',
        "domain 'tiny': unknown gave ['?'], not a sequence of Primitives, on 'three'",
        "show",
    ),
    Mistake(
        "unknown raises",
        "return ()",
        RAISES,
        "domain 'tiny': unknown raised ValueError: no luck (FILE:HERE), on 'three'",
        "show",
    ),
    Mistake(
        "guide raises",
        "return lambda meaning: True",
        RAISES,
        "test:1: domain 'tiny': guide raised ValueError: no luck (FILE:HERE), "
        "on Number(name='add', inside=(Number(name='1', inside=()), Number(name='2', inside=...",
    ),
    Mistake(
        "guide gives no test",
        "return lambda meaning: True",
        "return True",
        "test:1: domain 'tiny': guide gave True, not a function, "
        "on Number(name='add', inside=(Number(name='1', inside=()), Number(name='2', inside=...",
    ),
    Mistake(
        "guide's test gives nothing",
        "return lambda meaning: True",
        "return lambda meaning: None",
        "test:1: domain 'tiny': guide gave None, not a bool, on Number(name='1', inside=())",
    ),
    Mistake(
        "category raises",
        'return number.name if number.inside else "constant"',
        "return number.colour",
        "domain 'tiny': category raised AttributeError: 'Number' object has no attribute 'colour' "
        "(FILE:HERE), on Number(name='1', inside=())",
    ),
    Mistake(
        "category gives a number",
        'return number.name if number.inside else "constant"',
        "return len(number.inside)",
        "domain 'tiny': category gave 0, not a str, on Number(name='1', inside=())",
    ),
    Mistake(
        "render raises",
        'return " ".join([number.name, *map(render, number.inside)])',
        RAISES,
        "train:1: domain 'tiny': render raised ValueError: no luck (FILE:HERE), on Number(",
        "data check",
    ),
    Mistake(
        "render gives nothing",
        'return " ".join([number.name, *map(render, number.inside)])',
        "return None",
        "train:1: domain 'tiny': render gave None, not a str",
        "data check",
    ),
    Mistake(
        "heads of no operation",
        "Syntax(category=category)",
        'Syntax(category=category, heads={"subtract": 0})',
        "FILE: domain 'tiny': heads names 'subtract', which is no operation",
    ),
    Mistake(
        "heads beyond the arguments",
        "Syntax(category=category)",
        'Syntax(category=category, heads={"add": 2})',
        "FILE: domain 'tiny': heads says 2 for add, which has 2 arguments, from 0 on",
    ),
    Mistake(
        "benchmark without prefix",
        '"tiny/rows"',
        '"rows"',
        "FILE: domain 'tiny': the name of its benchmark 'rows' must begin with 'tiny/'",
    ),
    Mistake(
        "no benchmark",
        '(Benchmark("tiny/rows", "three rows"),)',
        "()",
        "FILE: domain 'tiny': it has no benchmark",
    ),
    Mistake(
        "a name that no command could name",
        '    "tiny",\n    Language',
        '    "my tiny",\n    Language',
        "FILE: domain 'my tiny': its name is not letters and digits, beginning with a letter",
    ),
    Mistake(
        "the name of another domain",
        '    "tiny",\n    Language',
        '    "toy",\n    Language',
        "FILE: domain 'toy': the name of its benchmark 'tiny/rows' must begin with 'toy/'",
    ),
    Mistake(
        "render is no function",
        "read, render, guide",
        "read, 'render', guide",
        "FILE: domain 'tiny': render is a str, not a function",
    ),
    Mistake(
        "raises at import",
        "WORDS = {",
        "1 / 0\nWORDS = {",
        "FILE: raised ZeroDivisionError: division by zero (FILE:HERE)",
    ),
    Mistake(
        "leaves at import",
        "WORDS = {",
        "raise SystemExit('good bye')\nWORDS = {",
        "FILE: raised SystemExit: good bye (FILE:HERE)",
    ),
    Mistake(
        "not Python",
        "WORDS = {",
        "WORDS = = {",
        "FILE:HERE: not Python: invalid syntax",
    ),
    Mistake(
        "imports what is not there",
        "WORDS = {",
        "import nowhere_at_all\nWORDS = {",
        "FILE: raised ModuleNotFoundError: No module named 'nowhere_at_all' (FILE:HERE)",
    ),
    Mistake(
        "bracket that is not closed",
        "TINY = Domain(",
        "print(Domain(",
        "FILE:HERE: not Python: '(' was never closed",
    ),
    Mistake(
        "no domain kept",
        "TINY = Domain(",
        "str(1) and Domain(",
        "FILE: no domain in it: it assigns no Domain to a variable",
    ),
    Mistake(
        "two domains",
        "TINY = Domain(",
        'OTHER = Domain("other", None, None, None)\nTINY = Domain(',
        "FILE: several domains: name one, such as FILE:OTHER",
    ),
)
