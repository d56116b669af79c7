"""Whatever is typed: an answer or one reason, never an exception, within limits."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lear as package
from tests.support.cli import Capture, lear, predict
from tests.support.fuzz import LONG, SentenceMaker, check_answer, num_sentences
from tests.support.shipped import NAMES, shipped
from tests.support.typed_text import ANY_TEXT, TYPED_TEXT

POLICIES = ("refuse", "overlook")


@pytest.fixture(scope="module", params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_random_and_mutated_sentences_have_an_answer_or_a_reason(name: str, policy: str) -> None:
    parser = package.Parser.from_pretrained(name, unknown_words=policy)
    maker = SentenceMaker(name, parser, POLICIES.index(policy))
    for text in maker.make(num_sentences()):
        check_answer(text, parser(text))


DISAGREEING = {
    # The members of a model disagree by more than the margin of the search.
    "geo": ("what is what is the of washington", "What is What is the is capital Texas?"),
    # Rules with symbols that training never showed.
    "geo-query": ("traverses longer by a least capitals",),
}


@pytest.mark.parametrize("name", DISAGREEING)
def test_probabilities_of_several_answers_hold_together(name: str) -> None:
    parser = package.Parser.from_pretrained(name, unknown_words="overlook")
    for text in DISAGREEING[name]:
        probabilities = [answer.probability or 0.0 for answer in parser(text, nbest=3).nbest]
        assert sum(probabilities) <= 1 + 1e-6


@pytest.mark.slow
def test_several_answers_to_them_are_different(name: str) -> None:
    parser = shipped(name)
    for text in SentenceMaker(name, parser, seed=3).make(num_sentences() // 3):
        parse = parser(text, nbest=3)
        check_answer(text, parse)
        assert parse.form == parser(text).form
        assert len({answer.form for answer in parse.nbest}) == len(parse.nbest) <= 3
        for answer in parse.nbest:
            check_answer(text, answer)


@pytest.mark.slow
def test_batches_of_them_are_answered_in_order(name: str) -> None:
    parser = shipped(name)
    texts = list(SentenceMaker(name, parser, seed=7).make(100))
    for text, parse in zip(texts, parser.pipe(texts, batch_size=17), strict=True):
        check_answer(text, parse)
        assert parse.form == parser(text).form


@given(st.sampled_from(NAMES), TYPED_TEXT)
def test_pieces_that_tokenizers_look_at_have_an_answer_or_a_reason(name: str, text: str) -> None:
    text = text.encode("utf-8", "replace").decode()  # halves of surrogate pairs: see below
    check_answer(text, shipped(name)(text))


@given(st.sampled_from(NAMES), ANY_TEXT)
def test_any_text_is_parsed_without_an_exception(name: str, text: str) -> None:
    parse = shipped(name)(text)
    assert parse.text == text
    assert (parse.form is None) == bool(parse.reason)


@pytest.mark.parametrize("text", ["\ufeffEmma slept.", "Emma slept.\r\n", "Emma\ufeff slept ."])
def test_byte_order_marks_and_line_ends_change_nothing(text: str) -> None:
    assert shipped("cogs")(text).form == shipped("cogs")("Emma slept .").form is not None


@pytest.mark.parametrize("text", ["\ud800 Emma slept", "qqqqqq\udfff"])
def test_text_that_is_no_unicode_can_be_printed_too(text: str) -> None:
    json.loads(shipped("cogs")(text).to_json())


@pytest.mark.parametrize("text", LONG, ids=lambda text: f"{len(text)} of {text[:5]!r}")
def test_long_texts_are_refused_or_answered_within_limits(name: str, text: str) -> None:
    parse = shipped(name)(text)
    check_answer(text, parse)
    if len(text) > 20_000:
        assert parse.reason == f"the sentence has {len(text):,} characters, more than 20,000"
        assert parse.tokens == ()
    elif len(text.split()) > 500:
        assert "tokens, more than 500" in parse.reason


def test_sentences_up_to_the_limit_are_looked_at(name: str) -> None:
    known = {"cogs": "Emma", "slog": "Emma", "cfq": "M0", "geo": "texas", "geo-query": "var0"}[name]
    limit = shipped(name)(" ".join([known] * 499))
    check_answer(limit.text, limit)
    assert "tokens, more than" not in limit.reason


@pytest.mark.parametrize(
    "text", ["", " ", "\t\n", "\u3000", "?!", ".", "...", "'", "\u200b", "\x00"]
)
def test_next_to_nothing_is_no_sentence(name: str, text: str) -> None:
    parse = shipped(name)(text)
    check_answer(text, parse)
    assert parse.form is None


@pytest.mark.slow
def test_predict_has_one_line_for_each_of_them(capsys: Capture, tmp_path: Path, name: str) -> None:
    maker = SentenceMaker(name, shipped(name), seed=11)
    texts = [text.replace("\n", " ").replace("\r", " ") for text in maker.make(100)]
    content = "".join(f"{text}\n" for text in texts)
    code, answers, err = predict(capsys, name, tmp_path / "in.txt", content)
    assert (code, err) == (0, "")
    assert [answer["text"] for answer in answers] == texts
    for text, answer in zip(texts, answers, strict=True):
        alone = shipped(name)(text)
        if answer["form"] != alone.form:  # of equally good ones either may be found
            assert answer["score"] == pytest.approx(alone.score, abs=1e-4)


@pytest.mark.slow
def test_parse_says_one_line_or_prints_an_answer(capsys: Capture) -> None:
    for name in ("cogs", "geo"):
        for text in SentenceMaker(name, shipped(name), seed=13).make(15):
            # What begins with a dash is an option.
            code, out, err = lear(capsys, "parse", name, f" {text}", "--json")
            assert code in (0, 1, 2)
            assert "Traceback" not in err
            if code == 1:
                assert len(err.splitlines()) == 1 + len(shipped(name)(f" {text}").notes)
            elif code == 0:
                assert json.loads(out)["form"] is not None
