"""SCAN: what each operation means, and that every row of every split is in reach."""

from pathlib import Path

import pytest

from lear.algebra.algebra import MeaningTable, Primitive
from lear.benchmark import Example
from lear.domains.scan import SCAN
from lear.evaluation.check import check_domain
from lear.evaluation.coverage import Reached, coverage
from lear.forest.oracle import Oracle
from lear.lexicon.lexicon import Lexicon, Unit
from lear.storage.datasets import DataFolder

LEFT, RIGHT = "I_TURN_LEFT ", "I_TURN_RIGHT "
SENTENCES = {
    "walk": "I_WALK",
    "turn left": LEFT,
    "turn around left": LEFT * 4,
    "turn opposite left": LEFT * 2,
    "jump right": f"{RIGHT}I_JUMP",
    "jump opposite right": f"{RIGHT * 2}I_JUMP",
    "jump around right twice": f"{RIGHT}I_JUMP " * 8,
    "walk thrice and jump": "I_WALK I_WALK I_WALK I_JUMP",
    "walk after jump twice": "I_JUMP I_JUMP I_WALK",
}
WORDS = ("turn", "around", "opposite", "twice", "thrice", "and", "after")


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    routes = [("left", "I_TURN_LEFT"), ("right", "I_TURN_RIGHT")]
    phrases = [("walk", "I_WALK"), ("jump", "I_JUMP")]
    counts: dict[tuple[Unit, Primitive], int] = {
        ((word,), Primitive(kind, symbol)): 1
        for kind, entries in (("Route", routes), ("Phrase", phrases))
        for word, symbol in entries
    }
    return Oracle.of(SCAN, Lexicon.from_counts("scan", counts, dict.fromkeys(WORDS, 1)))


@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences_have_a_derivation(oracle: Oracle, sentence: str) -> None:
    form = SENTENCES[sentence].strip()
    row = Example(tuple(sentence.split()), form, "", sentence)
    (outcome,) = coverage(oracle, [row])
    assert isinstance(outcome, Reached)
    meaning = SCAN.language.read(form, row.tokens, MeaningTable(SCAN.language.algebra))
    assert SCAN.language.render(meaning) == form


def test_the_domain_is_one_short_file() -> None:
    source = Path(__file__).parents[2] / "src/lear/domains/scan.py"
    assert len(source.read_text().splitlines()) <= 90


def test_there_are_twelve_splits() -> None:
    names = [benchmark.name for benchmark in SCAN.corpus.benchmarks]
    assert len(names) == len(set(names)) == 12
    assert names[0] == "scan/simple"


@pytest.mark.data
@pytest.mark.slow
def test_the_published_files_are_sound(data_folder: Path) -> None:
    folder = DataFolder(data_folder, "LEAR_DATA")
    for benchmark in SCAN.corpus.benchmarks:
        assert {folder.state(file) for files in benchmark.files.values() for file in files} == {
            "ok"
        }
    benchmark = SCAN.corpus.benchmarks[0]
    rows = {part: SCAN.corpus.load(benchmark, part, folder.find) for part in benchmark.files}
    report = check_domain(SCAN, rows, lambda train: SCAN.words.induce(train, ()), limit=50)
    assert report.is_sound
    assert report.num_reached == report.num_searched == 150
