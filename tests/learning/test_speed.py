"""What `lear bench` measures: both versions do the same work, and rates are rows by time."""

from itertools import count
from types import SimpleNamespace

import msgspec
import pytest

from lear.domains.toy import TOY
from lear.errors import LearError
from lear.learning import speed
from lear.learning.speed import (
    PlainParser,
    Speed,
    bench_recipe,
    parsing_speed,
    quick_parser,
    training_speed,
)
from lear.parser import Parser
from tests.support.shipped import NAMES, SENTENCES, shipped
from tests.support.toy_rows import TEST, TOY_PARTS, TRAIN

BENCHMARK = TOY.corpus.benchmarks[0]


@pytest.fixture(scope="module")
def parser() -> Parser:
    return quick_parser(TOY, BENCHMARK, TOY_PARTS)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by one second whenever it is looked at."""
    seconds = count()
    monkeypatch.setattr(speed, "time", SimpleNamespace(perf_counter=lambda: float(next(seconds))))


def test_plain_parsing_finds_the_same_scores(parser: Parser) -> None:
    plain = PlainParser(parser)
    for row in TEST[::20]:
        assert plain(row.tokens) == pytest.approx(parser(row.sentence).score, abs=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_plain_parsing_finds_the_same_scores_with_models_that_ship(name: str) -> None:
    plain = PlainParser(shipped(name))
    for parse in shipped(name).pipe(SENTENCES[name][:6]):
        score = plain(parse.tokens)
        assert score is None or score == pytest.approx(parse.score, abs=1e-3)


@pytest.mark.usefixtures("clock")
def test_a_rate_is_sentences_by_time(parser: Parser) -> None:
    # All 20 sentences in a second; then one a second, until more than three have passed.
    assert parsing_speed(parser, TEST[:20], seconds=3) == Speed(fast=20.0, plain=4 / 5)
    recipe = bench_recipe(BENCHMARK, seed=1)
    small = msgspec.structs.replace(
        recipe, optim=msgspec.structs.replace(recipe.optim, batch_size=7, samples=2)
    )
    lexicon = TOY.words.induce(TRAIN, ())
    found = training_speed(small, TOY, lexicon, TRAIN[:50], seconds=2)
    assert found == Speed(fast=7.0, plain=1.0)
    assert found.speedup == 7.0


def test_a_fast_parser_with_other_scores_is_an_error(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def worse(plain: PlainParser, tokens: tuple[str, ...]) -> float:
        del plain
        return parser.parse(tokens).score + 1

    monkeypatch.setattr(PlainParser, "__call__", worse)
    with pytest.raises(LearError, match="but the fast parser found one with"):
        parsing_speed(parser, TEST[:5], seconds=1)


def test_there_must_be_something_to_parse(parser: Parser) -> None:
    with pytest.raises(LearError, match="no sentences"):
        parsing_speed(parser, [], seconds=1)
