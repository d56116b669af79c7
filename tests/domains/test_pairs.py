"""Files of pairs: three formats say the same, and every bad row is named."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.benchmark import Benchmark, Example
from lear.domains.pairs import hold_out, listed_corpus, pairs_corpus, read_pairs
from lear.errors import DataError

CSV = 'utterance,form,split\nlamp on,on(lamp),train\n"lamp, off","off(lamp, ""now"")",test\n'
TSV = 'utterance\tform\tsplit\nlamp on\ton(lamp)\t\nlamp, off\toff(lamp, "now")\ttest\n'
JSONL = (
    '{"utterance": "lamp on", "form": "on(lamp)"}\n\n'
    '{"utterance": "lamp, off", "form": "off(lamp, \\"now\\")", "split": "test"}\n'
)
ROWS = {
    "train": [(("lamp", "on"), "on(lamp)")],
    "dev": [],
    "test": [(("lamp,", "off"), 'off(lamp, "now")')],
}


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize(("name", "text"), [("p.csv", CSV), ("p.tsv", TSV), ("p.jsonl", JSONL)])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_formats_say_the_same(
    tmp_path: Path, name: str, text: str, mark: str, line_end: str
) -> None:
    path = written(tmp_path, name, mark + text.replace("\n", line_end))
    parts = read_pairs(path)
    found = {part: [(row.tokens, row.form) for row in rows] for part, rows in parts.items()}
    assert found == ROWS
    assert parts["test"][0].source.startswith(f"{path}:")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("p.csv", "words,form\na,b\n", ":1: no column 'utterance'"),
        ("p.csv", "utterance,form\na,b\na,b,c\n", ":3: 3 columns, where the first line has 2"),
        ("p.csv", 'utterance,form\na,"b\n', ":2: not a row of a table: a quotation mark is not"),
        ("p.csv", "utterance,form\n ,b\n", ":2: the utterance is empty"),
        ("p.csv", "utterance,form\na,\n", ":2: the form is empty"),
        ("p.csv", "utterance,form,split\na,b,valid\n", ":2: the split is 'valid'"),
        ("p.csv", "utterance,form\n", ": no rows"),
        ("p.csv", "", ": no rows"),
        ("p.tsv", "utterance,form\na,b\n", ":1: no column 'utterance'"),
        ("p.jsonl", '{"utterance": "a"}\n', ":1: the form is not text"),
        ("p.jsonl", '{"utterance": 1, "form": "b"}\n', ":1: the utterance is not text"),
        ("p.jsonl", "[1]\n", ":1: not a JSON object"),
        ("p.jsonl", "[" * 10_000, ":1: not a JSON object"),
        ("p.xls", "", ": not a file of pairs"),
    ],
)
def test_bad_files_are_named_with_the_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = written(tmp_path, name, text)
    with pytest.raises(DataError) as caught:
        read_pairs(path)
    assert str(caught.value).startswith(f"{path}{said}")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing\.csv: cannot be read"):
        read_pairs(tmp_path / "nothing.csv")


WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=4)


@given(st.lists(WORDS, max_size=60), st.integers(2, 5))
def test_held_out_rows_leave_every_word_in_training(sentences: list[list[str]], every: int) -> None:
    rows = [Example(tuple(words), "f", "", str(n)) for n, words in enumerate(sentences)]
    train, dev = hold_out(rows, every)
    assert sorted(map(id, train + dev)) == sorted(map(id, rows))
    assert {w for row in rows for w in row.tokens} == {w for row in train for w in row.tokens}
    assert len(dev) <= len(rows) // every


def test_pairs_may_be_in_the_program() -> None:
    corpus = pairs_corpus("tiny", [("a b", "ab"), ("b", "b", "test"), ("a", "a", "dev")])
    (benchmark,) = corpus.benchmarks
    assert benchmark.name == "tiny/pairs"
    parts = {part: corpus.load(benchmark, part, Path) for part in ("train", "dev", "test")}  # type: ignore[arg-type]
    assert {part: [row.form for row in rows] for part, rows in parts.items()} == {
        "train": ["ab"],
        "dev": ["a"],
        "test": ["b"],
    }


def test_published_files_make_benchmarks(tmp_path: Path) -> None:
    manifest = written(
        tmp_path, "list.txt", "00 3 d/x/my_train_one.txt\n11 4 d/x/my_test_one.txt\n"
    )
    corpus = listed_corpus("d", manifest, "https://there", lambda line: line.split("|"))
    (benchmark,) = corpus.benchmarks
    assert benchmark.name == "d/one"
    assert benchmark.files["test"][0].url == "https://there/x/my_test_one.txt"
    assert benchmark.files["test"][0].sha256 == "11"
    path = written(tmp_path, "rows.txt", "".join(f"a b|{n}\n" for n in range(20)))
    loaded = {part: corpus.load(benchmark, part, lambda _: path) for part in benchmark.files}
    assert {part: len(rows) for part, rows in loaded.items()} == {"train": 18, "dev": 2, "test": 20}
    bad = written(tmp_path, "bad.txt", "a|b\nno form\n")
    with pytest.raises(DataError, match=r"bad\.txt:2: not a sentence and a form: 'no form'"):
        corpus.load(Benchmark("d/one", "", benchmark.files), "test", lambda _: bad)


def test_a_form_may_be_json_without_quotes(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(
        '{"utterance": "go now", "form": {"do": "go", "when": ["now", 1]}, "split": "test"}'
    )
    (row,) = read_pairs(path)["test"]
    assert row.form == '{"do": "go", "when": ["now", 1]}'
