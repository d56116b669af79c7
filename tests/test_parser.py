"""The parser that users hold, with the model that ships."""

from pathlib import Path

import pytest

import lear
from lear.domains.cogs import corpus
from lear.errors import UsageError
from lear.evaluation.evaluate import evaluate

ROSE = "A rose was helped by a dog ."
ROSE_FORM = (
    "rose ( x _ 1 ) AND help . theme ( x _ 3 , x _ 1 ) "
    "AND help . agent ( x _ 3 , x _ 6 ) AND dog ( x _ 6 )"
)


@pytest.fixture(scope="module")
def parser() -> lear.Parser:
    return lear.Parser.from_pretrained("cogs")


def test_the_shipped_model_parses_at_once(parser: lear.Parser) -> None:
    parse = parser(ROSE)
    assert parse.form == ROSE_FORM
    assert parse.derivation is not None
    assert parse.reason == ""


def test_answers_come_in_order_and_alike_one_by_one_or_in_a_batch(parser: lear.Parser) -> None:
    texts = [ROSE, "", "Emma slept .", "was was was", "Zoe saw a zebra ."]
    one_by_one = [parse.form for parse in parser.pipe(texts)]
    batch = [parse.form for parse in parser.parse_batch([tuple(t.split()) for t in texts])]
    assert one_by_one == batch
    assert [form is None for form in batch] == [False, True, False, True, False]


def test_the_best_of_several_is_the_one_answer(parser: lear.Parser) -> None:
    parse = parser("Emma gave the girl a cake on the table .", nbest=4)
    assert len(parse.nbest) == len({answer.form for answer in parse.nbest}) == 4
    assert parse.form == parser("Emma gave the girl a cake on the table .").form
    assert parse.nbest[0].form == parse.form


def test_a_saved_parser_is_the_same_parser(parser: lear.Parser, tmp_path: Path) -> None:
    parser.save_pretrained(tmp_path / "copy")
    copy = lear.Parser.from_pretrained(tmp_path / "copy")
    assert copy(ROSE).form == ROSE_FORM
    assert copy(ROSE).score == parser(ROSE).score


def test_an_unknown_model_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="did you mean 'cogs'"):
        lear.Parser.from_pretrained("cog")


@pytest.mark.data
@pytest.mark.slow
def test_the_shipped_model_has_the_scores_of_its_card(
    parser: lear.Parser, data_folder: Path
) -> None:
    scores = evaluate(parser, corpus.read_rows(data_folder / "cogs/gen.tsv"))
    assert (scores.overall.n, scores.overall.exact) == (21_000, 21_000)
    original = evaluate(parser, corpus.read_rows(data_folder / "cogs/gen_original.tsv"))
    assert original.overall.exact == 21_000 - 51
