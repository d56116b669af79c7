"""The files of CFQ in both layouts, what is wrong with them, and questions as tokens."""

import json
from pathlib import Path

import pytest

from lear.algebra.algebra import MeaningTable
from lear.benchmark import Example
from lear.domains.cfq.corpus import num_words, tokenize
from lear.domains.cfq.domain import CFQ
from lear.domains.registry import find_benchmark
from lear.errors import DataError, FormError, UsageError
from lear.storage.datasets import DataFolder

QUESTIONS = ["Did M0 direct M1", "Who edited M0", "What was written by M0 ' s editor"]
QUERIES = [
    "SELECT count ( * ) WHERE { M0 film.director.film M1 }",
    "SELECT DISTINCT ?x0 WHERE { ?x0 a people.person . ?x0 film.editor.film M0 }",
    "SELECT DISTINCT ?x0 WHERE { ?x0 film.film.written_by ?x1 . ?x1 film.editor.film M0 }",
]
OFFICIAL = [
    ("Did M0 direct M1", "SELECT count(*) WHERE {\nM0 ns:film.director.film M1\n}"),
    (
        "Who edited M0",
        "SELECT DISTINCT ?x0 WHERE {\n?x0 a ns:people.person .\n?x0 ns:film.editor.film M0\n}",
    ),
    (
        "What was written by M0's editor",
        "SELECT DISTINCT ?x0 WHERE {\n?x0 ns:film.film.written_by ?x1 .\n"
        "?x1 ns:film.editor.film M0\n}",
    ),
]


def write_text(folder: Path, name: str, questions: list[str], queries: list[str]) -> None:
    for part in ("train", "dev", "test"):
        place = folder / "cfq" / name / part
        place.mkdir(parents=True)
        (place / f"{part}_encode.txt").write_text("".join(f"{line}\n" for line in questions))
        (place / f"{part}_decode.txt").write_text("".join(f"{line}\n" for line in queries))


def write_official(folder: Path, name: str, positions: list[int]) -> None:
    (folder / "cfq/splits").mkdir(parents=True)
    rows = [
        {"questionPatternModEntities": q, "sparqlPatternModEntities": s, "recursionDepth": 3}
        for q, s in OFFICIAL
    ]
    (folder / "cfq/dataset.json").write_text(json.dumps(rows))
    split = {"trainIdxs": positions, "devIdxs": [1], "testIdxs": [2]}
    (folder / f"cfq/splits/{name}.json").write_text(json.dumps(split))


def load(folder: Path, name: str, part: str) -> list[Example]:
    _, benchmark = find_benchmark(name)
    return CFQ.corpus.load(benchmark, part, DataFolder.choose(str(folder)).find)


def test_both_layouts_hold_the_same_rows(tmp_path: Path) -> None:
    write_text(tmp_path, "mine", QUESTIONS, QUERIES)
    write_official(tmp_path, "theirs", [0, 1, 2])
    text, official = load(tmp_path, "cfq/mine", "train"), load(tmp_path, "cfq/theirs", "train")
    assert [row.tokens for row in text] == [row.tokens for row in official]
    assert [row.length for row in text] == [row.length for row in official] == [4, 3, 8]
    for one, other in zip(text, official, strict=True):
        forms = [CFQ.language.render(CFQ.language.read_gold(row, _table())) for row in (one, other)]
        assert forms[0] == forms[1]
    (dev,) = load(tmp_path, "cfq/theirs", "dev")
    assert dev.tokens == ("Who", "edited", "M0")


def _table() -> MeaningTable:
    return MeaningTable(CFQ.language.algebra)


@pytest.mark.parametrize("position", [3, -1])
def test_a_split_that_names_rows_outside_the_data_is_refused(tmp_path: Path, position: int) -> None:
    write_official(tmp_path, "theirs", [0, position])
    with pytest.raises(DataError, match=rf"theirs.json: train names row {position}, .* has 3 rows"):
        load(tmp_path, "cfq/theirs", "train")


def test_a_file_that_is_short_is_named(tmp_path: Path) -> None:
    write_text(tmp_path, "mine", QUESTIONS, QUERIES[:2])
    with pytest.raises(DataError, match=r"train_decode.txt: has fewer lines than .*train_encode"):
        load(tmp_path, "cfq/mine", "train")


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("splits/theirs.json", "{}", "theirs.json: not a split"),
        ("splits/theirs.json", "[", "theirs.json: not a split"),
        ("dataset.json", '[{"question": 1}]', "dataset.json: not a CFQ data set"),
        ("dataset.json", "", "dataset.json: not a CFQ data set"),
    ],
)
def test_what_is_no_json_is_named(tmp_path: Path, file: str, text: str, message: str) -> None:
    write_official(tmp_path, "theirs", [0])
    (tmp_path / "cfq" / file).write_text(text)
    with pytest.raises(DataError, match=message):
        load(tmp_path, "cfq/theirs", "train")


def test_what_is_missing_comes_with_advice(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"train_encode.txt: no such file .* dataset.json"):
        load(tmp_path, "cfq/mcd3", "train")


def test_any_name_is_a_benchmark_but_not_any_text() -> None:
    assert find_benchmark("cfq/mcd3")[1].name == "cfq/mcd3"
    assert find_benchmark("cfq")[1].name == "cfq/mcd1"
    with pytest.raises(UsageError, match="unknown benchmark"):
        find_benchmark("cfq/../../etc")


def test_the_row_of_a_bad_query_is_named(tmp_path: Path) -> None:
    write_text(tmp_path, "mine", QUESTIONS, [*QUERIES[:2], "SELECT DISTINCT ?x0 WHERE { x }"])
    rows = load(tmp_path, "cfq/mine", "train")
    with pytest.raises(FormError, match=r"train_decode.txt:3: unsupported clause"):
        CFQ.words.induce(rows, ())


@pytest.mark.parametrize(
    ("questions", "queries", "file"),
    [(["", "Who"], QUERIES[:2], "encode"), (QUESTIONS[:2], ["", QUERIES[1]], "decode")],
)
def test_what_is_empty_is_told_of_the_file_that_has_it(
    tmp_path: Path, questions: list[str], queries: list[str], file: str
) -> None:
    write_text(tmp_path, "mine", questions, queries)
    with pytest.raises(DataError, match=rf"train_{file}\.txt:1: the \w+ is empty"):
        load(tmp_path, "cfq/mine", "train")


def test_marks_are_tokens_however_they_are_spelt() -> None:
    apart = tokenize("Did M0 ' s editor , M1 , and M2 marry a actor")
    assert apart == tokenize("Did M0's editor, M1, and M2 marry an actor?")
    assert apart == ("Did", "M0", "'s", "editor", ",", "M1", ",and", "M2", "marry", "a", "actor")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("did m0 direct m1??", "Did M0 direct M1"),
        ("WHICH SWEDISH FILM DID M10 EDIT", "Which Swedish film did M10 edit"),
        (
            "Did M0 marry an \u201cItalian\u201d art-director & M1",
            "Did M0 marry a Italian art director and M1",
        ),
        (", Did M0 edit M1 ,, M2,and M3,", "Did M0 edit M1 , M2 ,and M3"),
        ("Was M0\u2019 s film M1's prequel.", "Was M0 's film M1 's prequel"),
        ("Who's M0's editor", "Who is M0 's editor"),
        ("didn't M0 edit M1", "Did not M0 edit M1"),
        ("?!", ""),
    ],
)
def test_what_people_type_is_spelt_as_in_the_files(text: str, tokens: str) -> None:
    assert tokenize(text) == tuple(tokens.split())


@pytest.mark.data
def test_length_is_counted_as_the_files_do(cfq_train: list[Example], cfq_folder: Path) -> None:
    with (cfq_folder / "cfq/mcd1/train/train_encode.txt").open() as lines:
        for line, row in zip(lines, cfq_train, strict=False):
            assert num_words(line) == row.length == len(line.split())
