"""Patterns of sentences and forms, and the paper's statistics of COGS."""

import subprocess
import sys
from pathlib import Path

import pytest

from lear.algebra.algebra import Primitive
from lear.benchmark import Example
from lear.lexicon.lexicon import Entry, Lexicon
from lear.reproduce.data_statistics import (
    data_statistics,
    input_pattern,
    output_pattern,
    pattern_coverage,
)


def example(sentence: str, form: str = "") -> Example:
    return Example(tuple(sentence.split()), form, "", "")


def noun(symbol: str) -> tuple[Entry, ...]:
    return (Entry(Primitive("Noun", symbol), 1),)


LEXICON = Lexicon(
    "cogs", {("dog",): noun("dog"), ("film", "editor"): noun("film editor")}, {"a": 1, "saw": 1}
)


def test_units_of_a_sentence_are_anonymous() -> None:
    pattern = input_pattern(LEXICON)
    assert pattern(example("a dog saw a film editor")) == pattern(
        example("a film editor saw a dog")
    )
    assert pattern(example("a dog saw")) != pattern(example("saw a dog"))


@pytest.mark.parametrize(
    ("domain", "one", "same", "other"),
    [
        (
            "cogs",
            "see . agent ( x _ 1 , Emma ) AND dog ( x _ 3 )",
            "hear . agent ( x _ 2 , Liam ) AND cat ( x _ 4 )",
            "see . theme ( x _ 1 , Emma ) AND dog ( x _ 3 )",
        ),
        (
            "cfq",
            "SELECT count ( * ) WHERE { ?x0 film.editor.film M0 . ?x0 a film.actor }",
            "SELECT count ( * ) WHERE { ?x0 film.writer.film M1 . ?x0 a people.person }",
            "SELECT count ( * ) WHERE { ?x0 film.editor.film ?x1 . ?x0 a film.actor }",
        ),
    ],
)
def test_primitives_of_a_form_are_anonymous(domain: str, one: str, same: str, other: str) -> None:
    pattern = output_pattern(domain)
    assert pattern(example("", one)) == pattern(example("", same))
    assert pattern(example("", one)) != pattern(example("", other))


def test_coverage_is_the_share_of_known_patterns() -> None:
    train = [example("a dog saw a dog")]
    test = [example("a film editor saw a dog"), example("a dog saw")]
    assert pattern_coverage(input_pattern(LEXICON), train, test) == 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("benchmark", "said"), [("cogs/gne", "did you mean"), ("cogs/gen", "train.tsv: no such file")]
)
def test_the_program_fails_in_one_line(benchmark: str, said: str, tmp_path: Path) -> None:
    module = "lear.reproduce.data_statistics"
    command = [sys.executable, "-m", module, benchmark, "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("lear: ")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.data
@pytest.mark.slow
def test_cogs_has_the_coverage_that_the_paper_prints(data_folder: Path) -> None:
    found = data_statistics("cogs/gen_original", str(data_folder))
    assert (found.train, found.dev, found.test) == (24155, 3000, 21000)
    assert f"{found.input_train:.1f} {found.input_test:.1f}" == "7.5 9.8"
    assert f"{found.output_train:.1f} {found.output_test:.1f}" == "43.6 67.6"
    assert f"{found.input_coverage:.3f} {found.output_coverage:.3f}" == "0.783 0.782"
