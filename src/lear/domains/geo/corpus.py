"""The files of GEO: the query split with anonymised names, and the 880 questions with real ones.

`geo/query_split/train_en.txt` has one question per line, `train_funql.txt` one program. Any folder
`geo/NAME` or `geo/NAME_split` with this layout is the benchmark `geo/NAME`. `geo/funql_880` has all
questions and programs, and the line numbers of the test rows, from 0. Names are those of Geobase.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from lear.benchmark import PARTS, Benchmark, Example, FindFile, Gazetteer, NamedThing
from lear.domains.geo.facts import Facts, read_facts, shipped_facts
from lear.domains.geo.functions import NAMES, SET_OPERATIONS
from lear.domains.geo.words import tokenize
from lear.errors import DataError, FileMissingError
from lear.storage.datasets import DataFile, numbered_lines, paired_lines, refuse_empty

_NAMING = {sort: function for function, sort in NAMES.items()} | {"mountain": "placeid"}
# GeoQuery never names a lake, and some lakes have the name of a state.
del _NAMING["lake"]


def _names(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield all names of some facts with their FunQL."""
    for thing in facts.things():
        if thing.sort in _NAMING:
            state = ", _" if thing.sort == "city" else ""
            yield thing.name, f"{_NAMING[thing.sort]}('{thing.name}'{state})"
    for state, abbreviation in facts.abbreviation_by_state().items():
        yield abbreviation, f"stateid('{state}')"


_LEAR = (
    "https://raw.githubusercontent.com/thousfeet/LEAR/"
    "e26c9d875c593de6e2e51b9d66f65c6f07be9575/GEO_experiment/geo_data"
)
_SEMPARSE = (
    "https://raw.githubusercontent.com/allenai/code-semparse/"
    "6003d751229ec81749d66404de2c1091758388e9"
)
_ADVICE_880 = (
    "put questions.txt, queries.funql (line by line) and test_indexes.txt (line numbers from 0) "
    "of the 880 questions into DATA/geo/funql_880, where --data or LEAR_DATA names DATA"
)
_ADVICE = "a split of your own lies in DATA/geo/NAME, where --data or LEAR_DATA names DATA"

GEOBASE = DataFile(
    "geo/geobase/geobase",
    "f2af833020e9d14ebafa5485e58c73e33c0b3dbf0f6823e0dafb65f7974b05ae",
    38_077,
    f"{_SEMPARSE}/code_semparse/eval/geo880/data/geobase",
)
ANSWERS = DataFile(
    "geo/funql_880/answers.jsonl",
    "70984fa1f97b27c48bc57688ef0f5630dcf71ed1e8580c7b308530e5bcd7cafc",
    512_127,
    f"{_SEMPARSE}/datasets/geo880/all.jsonl",
)
_QUESTIONS = DataFile(
    "geo/funql_880/questions.txt",
    "ae2a379c754f03bf6edce5a34ec1daa20db8099712efce1dc864984f5e679b87",
    36_800,
    _ADVICE_880,
)
_PROGRAMS = DataFile(
    "geo/funql_880/queries.funql",
    "cd0b37cbfd0b79b774ce19075a40db04349a37f3c7e43b293291cd50d7c17b61",
    44_368,
    _ADVICE_880,
)
_TEST = DataFile(
    "geo/funql_880/test_indexes.txt",
    "7cfd8753f6b9fe9b8b752271a00271bb9a49a4f4a5d514a7f1a86a386338dec9",
    1_092,
    _ADVICE_880,
)
# SHA-256 and size of the query split's files: questions and programs of train, of dev, of test.
_QUERY_SPLIT = (
    ("0c4809f696bfe2b8dfa75ece13a9354d6896ad7d48a639a0e179aea2e2fea89f", 17_090),
    ("e0886f1300afbaf6beb97fb5310a91f03b2d928145b8eb5fffb12625ee2b89a2", 17_120),
    ("b7f5446070ce657932e9c172442f917021cc699a292042a5d0bbaa096def9b76", 4_085),
    ("c76fecc810b1e926ec1d368da97f8d7cc26678d140ec74d67a95b2afc05566c0", 3_947),
    ("69ed2bc3b80d56484e555d9a63f4a44dc5cb0d61b98f6f9f82310943dbe5f5ec", 5_037),
    ("04ecbb09cc931c05ddc498764f197a5c4fab4a3d8483cae1441d2651f2d5b9cc", 4_846),
)
_SIDES = ("en", "funql")
_880 = (_QUESTIONS, _PROGRAMS, _TEST)
STRIDE = 6
"""Every sixth of the 600 training questions is a dev question."""


def _query_files(part: str) -> tuple[DataFile, ...]:
    first = 2 * PARTS.index(part)
    return tuple(
        DataFile(f"geo/query_split/{part}_{side}.txt", *checksum, f"{_LEAR}/{part}_{side}.txt")
        for side, checksum in zip(_SIDES, _QUERY_SPLIT[first : first + 2], strict=True)
    )


STANDARD = Benchmark(
    "geo/standard",
    "600 and 280 questions with real names; dev is 100 of the 600, which are trained on too",
    {part: (*_880, GEOBASE, *((ANSWERS,) if part == "test" else ())) for part in PARTS},
)
QUERY = Benchmark(
    "geo/query",
    "query split: most programs of test are not in train; names are anonymised",
    {part: _query_files(part) for part in PARTS},
)
HELD_OUT = Benchmark(
    "geo/standard_dev",
    "500 and 100 of the 600 training questions, to make choices on; its test is its dev",
    dict.fromkeys(PARTS, (*_880, GEOBASE)),
)
BENCHMARKS = (STANDARD, QUERY, HELD_OUT)


def benchmark_named(name: str) -> Benchmark:
    """Return the benchmark `geo/NAME`, for any folder of that name."""
    split = name.removeprefix("geo/")
    files = {
        part: tuple(DataFile(f"geo/{split}/{part}_{side}.txt", "", 0, _ADVICE) for side in _SIDES)
        for part in PARTS
    }
    return Benchmark(name, "a split of GEO", files)


def load(benchmark: Benchmark, part: str, find: FindFile) -> list[Example]:
    """Return the rows of one part of a benchmark."""
    if benchmark.name in (STANDARD.name, HELD_OUT.name):
        return _load_880(part, find, is_held_out=benchmark.name == HELD_OUT.name)
    files = benchmark.files[part]
    try:
        questions, programs = map(find, files)
    except FileMissingError as missing:
        folder = benchmark.name.removeprefix("geo/")
        others = (DataFile(f"geo/{folder}_split/{Path(f.path).name}", "", 0, "") for f in files)
        try:
            questions, programs = map(find, others)
        except FileMissingError:
            raise missing from None
    return read_pairs(questions, programs)


def gazetteer(benchmark: Benchmark, find: FindFile) -> Gazetteer:
    """Return the names of Geobase; none for the query split, whose names are anonymised.

    The file is one of the benchmark's. Where the data folder has none, the facts that ship are the
    same ones.
    """
    if benchmark.name == QUERY.name:
        return ()
    try:
        facts = read_facts(find(GEOBASE))
    except FileMissingError:
        facts = shipped_facts()
    pairs = dict.fromkeys(_names(facts))
    return tuple(NamedThing(tokenize(name), form) for name, form in pairs)


def read_pairs(questions: Path, programs: Path) -> list[Example]:
    """Return the rows of two files: one question and one program per line."""
    examples = []
    for number, question, program in paired_lines(questions, programs):
        tokens, form, source = tokenize(question), program.strip(), f"{programs}:{number}"
        refuse_empty(tokens, "question", f"{questions}:{number}")
        refuse_empty(form, "program", source)
        examples.append(Example(tokens, form, kind_of_question(form), source))
    return examples


_SUPERLATIVES = re.compile(r"(?:larg|small|long|short|high|low)est(?:_one)?\(")


def kind_of_question(form: str) -> str:
    """Return the group of a row, by the functions of its program: scores show which are hard."""
    if any(f"{operation}(" in form for operation in SET_OPERATIONS):
        return "set operation"
    if "most(" in form or "fewest(" in form:
        return "most or fewest"
    if _SUPERLATIVES.search(form):
        return "superlative"
    return "count or sum" if "count(" in form or "sum(" in form else "plain"


def _load_880(part: str, find: FindFile, *, is_held_out: bool) -> list[Example]:
    rows = read_pairs(find(_QUESTIONS), find(_PROGRAMS))
    test = _read_numbers(find(_TEST), len(rows))
    train = [row for number, row in enumerate(rows) if number not in test]
    if part == "test" and not is_held_out:
        return [row for number, row in enumerate(rows) if number in test]
    if part != "train":
        return train[::STRIDE]
    return [row for n, row in enumerate(train) if n % STRIDE] if is_held_out else train


def _read_numbers(path: Path, num_rows: int) -> set[int]:
    """Read row numbers, one per line."""
    numbers = set()
    for number, line in numbered_lines(path):
        text = line.strip()
        if not (text.isascii() and text.isdigit() and int(text) < num_rows):
            raise DataError(
                f"{path}:{number}: {text!r} is not the number of one of {num_rows} rows"
            )
        numbers.add(int(text))
    return numbers
