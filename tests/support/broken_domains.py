"""A tiny domain in one file, and one change for each mistake that its author can make."""

import re
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
    """A change to the sound domain, and how the line begins that tells of it.

    In that line FILE is the file, HERE the line of the change, and LINE any line.
    """

    what: str
    command: str
    old: str
    new: str
    said: str


_MISTAKES = r"""
# operation raises
- return Number("add", (left, right))
+ raise ValueError('no luck')
> test:1: domain 'tiny': operation add raised ValueError: no luck (FILE:HERE), on Number(name='1'
# operation gives text
- return Number("add", (left, right))
+ return "add"
> test:1: domain 'tiny': operation add gave 'add', not a Number as its annotation says
# operation makes a part that nobody interns
- return Number("add", (left, right))
+ return Number("add", (left, Number("2")))
> test:1: domain 'tiny': operation add made a new Number inside the Number that it gave
# operation gives a list in a field
- return Number("add", (left, right))
+ return Number("add", [left, right])
> test:1: operation add: Number.inside is a list; fields are plain values or tuples
# operation with three arguments
- right: Number)
+ right: Number, more: Number)
> FILE:LINE: operation add takes 3 arguments: operations take one or two
# operation without annotation
- def double(number: Number)
+ def double(number)
> FILE:LINE: operation double lacks an annotation
# read raises
- words = form.split()
+ raise ValueError('no luck')
> test:1: domain 'tiny': read raised ValueError: no luck (FILE:HERE), on 'add 1 2'
# read gives nothing
- return numbers[0] if
+ return None if
> test:3: domain 'tiny': read gave None, not a meaning, on '1'
# read does not intern inner parts
- numbers = [table.intern(Number(word))
+ numbers = [Number(word)
> test:1: domain 'tiny': read gave a Number that is not interned (table.intern, inner parts first)
# form that cannot be read
- ("one", "1")
+ ("one", "I")
> test:3: no number in it
# load gives pairs
- return [Example(tuple(w.split()), f, "", f"{part}:{n}")
+ return [(w, f)
> domain 'tiny': load gave ('one plus two', 'add 1 2') as row 1, not an Example
# load gives text for tokens
- tuple(w.split())
+ w
> domain 'tiny': load gave a row without words or form: train:1, on 'tiny/rows', 'train'
# no rows
- for n, (w, f) in enumerate(ROWS, 1)
+ for n, (w, f) in enumerate(ROWS, 1) if 0
> tiny/rows: there are no train rows
# no dev rows [train]
- for n, (w, f) in enumerate(ROWS, 1)
+ for n, (w, f) in enumerate(ROWS, 1) if part != 'dev'
> tiny/rows: there are no dev rows
# induce gives nothing
- return Lexicon.from_counts(
+ Lexicon.from_counts(
> domain 'tiny': induce gave None, not a Lexicon
# ground does not intern
- return table.intern(Number(primitive.symbol))
+ return Number(primitive.symbol)
> domain 'tiny': ground gave a Number that is not interned (table.intern, inner parts
# unknown gives text [show]
- return ()
+ return ["?"]
> domain 'tiny': unknown gave ['?'], not a sequence of Primitives, on 'three'
# guide gives no test
- return lambda meaning: True
+ return True
> test:1: domain 'tiny': guide gave True, not a function, on Number(
# guide's test gives nothing
- return lambda meaning: True
+ return lambda meaning: None
> test:1: domain 'tiny': guide gave None, not a bool, on Number(name='1', inside=())
# category gives a number
- return number.name if number.inside else "constant"
+ return len(number.inside)
> domain 'tiny': category gave 0, not a str, on Number(name='1', inside=())
# render gives nothing [data check]
- return " ".join([number.name, *map(render, number.inside)])
+ return None
> train:1: domain 'tiny': render gave None, not a str
# heads of no operation
- Syntax(category=category)
+ Syntax(category=category, heads={"subtract": 0})
> FILE: domain 'tiny': heads names 'subtract', which is no operation
# heads beyond the arguments
- Syntax(category=category)
+ Syntax(category=category, heads={"add": 2})
> FILE: domain 'tiny': heads says 2 for add, which has 2 arguments, from 0 on
# benchmark without prefix
- "tiny/rows"
+ "rows"
> FILE: domain 'tiny': the name of its benchmark 'rows' must begin with 'tiny/'
# no benchmark
- (Benchmark("tiny/rows", "three rows"),)
+ ()
> FILE: domain 'tiny': it has no benchmark
# a name that no command could name
-     "tiny",\n    Language
+     "my tiny",\n    Language
> FILE: domain 'my tiny': its name is not letters and digits, beginning with a letter
# render is no function
- read, render, guide
+ read, 'render', guide
> FILE: domain 'tiny': render is a str, not a function
# raises at import
- WORDS = {
+ 1 / 0\nWORDS = {
> FILE: raised ZeroDivisionError: division by zero (FILE:HERE)
# not Python
- WORDS = {
+ WORDS = = {
> FILE:HERE: not Python: invalid syntax
# bracket that is not closed
- TINY = Domain(
+ print(Domain(
> FILE:HERE: not Python: '(' was never closed
# no domain kept
- TINY = Domain(
+ str(1) and Domain(
> FILE: no domain in it: it assigns no Domain to a variable
# two domains
- TINY = Domain(
+ OTHER = Domain("other", None, None, None)\nTINY = Domain(
> FILE: several domains: name one, such as FILE:OTHER
"""
"""What is wrong, with a command if `coverage` does not find it; then what changes into what."""

MISTAKES = tuple(
    Mistake(what, command or "coverage", old.replace(r"\n", "\n"), new.replace(r"\n", "\n"), said)
    for what, command, old, new, said in re.findall(
        r"# (.*?)(?: \[(.*)\])?\n- (.*)\n\+ (.*)\n> (.*)\n", _MISTAKES
    )
)
assert len(MISTAKES) == _MISTAKES.count("\n# ")
