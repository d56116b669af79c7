"""The parser that users hold, with the models that ship."""

import pickle
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, cast

import pytest

import lear
from lear.answering.decoders import ChartDecoder
from lear.answering.request import Limits
from lear.errors import UsageError
from tests.support.answers import assert_same_answers
from tests.support.shipped import NAMES, SENTENCES, shipped

ROSE = "A rose was helped by a dog ."
ROSE_FORM = (
    "rose ( x _ 1 ) AND help . theme ( x _ 3 , x _ 1 ) "
    "AND help . agent ( x _ 3 , x _ 6 ) AND dog ( x _ 6 )"
)
CAKE = "Emma gave the girl a cake on the table ."


@pytest.fixture(scope="module")
def parser() -> lear.Parser:
    return shipped("cogs")


def test_the_shipped_model_parses_at_once(parser: lear.Parser) -> None:
    parse = parser(ROSE)
    assert parse.form == ROSE_FORM
    assert parse.derivation is not None
    assert parse.reason == ""


@pytest.mark.parametrize("name", NAMES)
def test_sentences_of_our_own_have_answers_and_probabilities(name: str) -> None:
    for text in SENTENCES[name]:
        parse = shipped(name)(text)
        assert parse.form is not None
        assert parse.probability is not None
        assert 0.5 < parse.probability <= 1
        assert parse.text == text


def test_answers_come_in_order_and_alike_one_by_one_or_in_a_batch(parser: lear.Parser) -> None:
    texts = [ROSE, "", "Emma slept .", "was was was", "Zoe saw a zebra ."]
    one_by_one = [parse.form for parse in parser.pipe(texts)]
    batch = [parse.form for parse in parser.parse_batch([tuple(t.split()) for t in texts])]
    assert one_by_one == batch
    assert [form is None for form in batch] == [False, True, False, True, False]


@pytest.mark.parametrize("name", NAMES)
def test_the_size_of_batches_changes_nothing(name: str) -> None:
    texts = [*SENTENCES[name], "", "qqqqqq", SENTENCES[name][0]]
    whole = list(shipped(name).pipe(texts))
    for batch_size in (1, 2, 100):
        for parse, expected in zip(
            shipped(name).pipe(texts, batch_size=batch_size), whole, strict=True
        ):
            assert (parse.form, parse.reason) == (expected.form, expected.reason)
            assert parse.score == pytest.approx(expected.score)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("nbest", [2, 5])
def test_the_best_answers_are_different_and_the_answer_comes_first(name: str, nbest: int) -> None:
    parser = shipped(name)
    for text in SENTENCES[name]:
        one, parse = parser(text), parser(text, nbest)
        assert parse.form == one.form
        assert parse.nbest[0] is parse
        assert parse.nbest[1:] == parse.alternatives
        assert 1 <= len({answer.form for answer in parse.nbest}) == len(parse.nbest) <= nbest
        probabilities = [answer.probability for answer in parse.nbest]
        assert all(p is not None and 0 <= p <= 1 for p in probabilities)
        assert sum(p for p in probabilities if p is not None) <= 1 + 1e-6
        for answer in parse.nbest:
            assert answer.derivation is not None
            assert answer.alternatives == () or answer is parse


def test_other_answers_come_in_the_order_of_their_probabilities() -> None:
    for name in NAMES:
        for text in SENTENCES[name]:
            others = [answer.probability or 0.0 for answer in shipped(name)(text, 5).alternatives]
            assert others == sorted(others, reverse=True)


def test_as_many_answers_come_as_there_are(parser: lear.Parser) -> None:
    every = parser(CAKE, nbest=1000).nbest
    assert len(every) >= 4
    for nbest in (1, 2, 3, len(every), len(every) + 1):
        assert len(parser(CAKE, nbest).nbest) == min(nbest, len(every))


def test_without_an_answer_there_are_no_best_ones(parser: lear.Parser) -> None:
    parse = parser("was was was", nbest=3)
    assert (parse.form, parse.nbest, parse.alternatives) == (None, (), ())
    assert parse.probability is None


@pytest.mark.parametrize("name", NAMES)
def test_answers_below_a_probability_are_not_given(name: str) -> None:
    parser = lear.Parser(shipped(name).model, min_probability=0.9)
    texts = [*SENTENCES[name], "capital capital population", "Did M0 direct"]
    for given, parse in zip(parser.pipe(texts), shipped(name).pipe(texts), strict=True):
        if parse.form is None:
            assert given.form is None
        elif parse.probability is not None and parse.probability >= 0.9:
            assert_same_answers([given], [parse])
        else:
            assert given.form is None
            assert "less than 0.9" in given.reason
            assert parse.form in given.reason


def test_a_saved_parser_is_the_same_parser(parser: lear.Parser, tmp_path: Path) -> None:
    parser.save_pretrained(tmp_path / "copy")
    copy = lear.Parser.from_pretrained(tmp_path / "copy")
    assert_same_answers([copy(ROSE)], [parser(ROSE)])


@pytest.mark.parametrize("name", ["cogs", "geo"])
def test_a_pickled_parser_is_the_same_parser(name: str) -> None:
    settings: dict[str, Any] = {"unknown_words": "overlook", "min_probability": 0.25}
    if name == "geo":
        settings["skip_steps"] = ("raise_most",)
    parser = lear.Parser(shipped(name).model, **settings)
    copy = pickle.loads(pickle.dumps(parser))
    assert isinstance(copy, lear.Parser)
    assert {key: getattr(copy, key) for key in settings} == settings
    assert copy.calibration == parser.calibration
    texts = [*SENTENCES[name], "qqqqqq"]
    assert_same_answers(list(copy.pipe(texts, nbest=2)), list(parser.pipe(texts, nbest=2)))


def test_parsers_are_equal_if_they_answer_alike() -> None:
    model = shipped("geo").model
    parser = lear.Parser(model)
    assert parser == lear.Parser(model)
    assert hash(parser) == hash(pickle.loads(pickle.dumps(parser)))
    assert pickle.loads(pickle.dumps(parser)) == parser
    for settings in ({"min_probability": 0.5}, {"unknown_words": "overlook"}):
        assert lear.Parser(model, **settings) != parser
    assert lear.Parser(model, skip_steps=["fill_all"]) != parser
    assert lear.Parser(model, limits=Limits(tokens=9)) != parser
    assert shipped("geo-query") != parser
    weights = {name: weight + 1 for name, weight in model.weights.items()}
    assert lear.Parser(replace(model, weights=weights)) != parser
    assert parser != object()


def test_a_parser_is_shown_in_few_words(parser: lear.Parser) -> None:
    assert repr(parser) == "<lear.Parser of cogs, chart, refuse>"


@pytest.mark.parametrize("value", [0, -1, None, True, 1.5, "2"])
@pytest.mark.parametrize("name", ["nbest", "batch_size", "jobs"])
def test_counts_are_whole_numbers_from_one_on(
    parser: lear.Parser, name: str, value: object
) -> None:
    with pytest.raises(UsageError, match=rf"{name} is a whole number from 1 on, not"):
        parser.pipe([ROSE], **cast(Any, {name: value}))
    if name == "nbest":
        calls: tuple[Callable[[Any], object], ...] = (
            partial(parser, "Emma slept ."),
            partial(parser.parse, ("Emma", "slept", ".")),
            partial(parser.parse_batch, []),
        )
        for call in calls:
            with pytest.raises(UsageError, match="nbest is a whole number"):
                call(value)


@pytest.mark.parametrize("value", [3, None, b"Emma slept .", ["Emma", "slept", "."]])
def test_a_sentence_is_text(parser: lear.Parser, value: object) -> None:
    with pytest.raises(UsageError, match="a sentence is text, not"):
        parser(cast(Any, value))


def test_one_text_is_not_many(parser: lear.Parser) -> None:
    with pytest.raises(UsageError, match="pipe takes many sentences"):
        parser.pipe(ROSE)


WRONG_CALLS: dict[str, Callable[[lear.Parser], object]] = {
    "pipe of numbers": lambda parser: list(parser.pipe(cast(Any, [3]))),
    "pipe of None": lambda parser: list(parser.pipe(cast(Any, ["Emma slept .", None]))),
    "pipe of bytes": lambda parser: list(parser.pipe(cast(Any, [b"Emma"]))),
    "pipe of nothing": lambda parser: parser.pipe(cast(Any, None)),
    "tokens that are one text": lambda parser: parser.parse("Emma slept ."),
    "tokens that are numbers": lambda parser: parser.parse(cast(Any, [1, 2])),
    "tokens that are None": lambda parser: parser.parse(cast(Any, None)),
    "a batch of None": lambda parser: parser.parse_batch(cast(Any, None)),
    "a batch of one number": lambda parser: parser.parse_batch(cast(Any, 3)),
    "a batch that is one text": lambda parser: parser.parse_batch("Emma slept ."),
}


@pytest.mark.parametrize("call", WRONG_CALLS.values(), ids=WRONG_CALLS)
def test_what_is_no_sentence_is_wrong_usage(
    parser: lear.Parser, call: Callable[[lear.Parser], object]
) -> None:
    with pytest.raises(UsageError):
        call(parser)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"unknown_words": "ignore"}, "'refuse' or 'overlook', not 'ignore'"),
        ({"min_probability": 1.5}, "from 0 to 1, not 1.5"),
        ({"min_probability": -0.1}, "from 0 to 1, not -0.1"),
        ({"min_probability": "x"}, "from 0 to 1, not 'x'"),
        ({"min_probability": None}, "from 0 to 1, not None"),
        ({"min_probability": float("nan")}, "from 0 to 1, not nan"),
        ({"min_probability": True}, "from 0 to 1, not True"),
        ({"unknown_words": "refse"}, "'refuse' or 'overlook', not 'refse'"),
        ({"unknown_words": None}, "'refuse' or 'overlook', not None"),
        ({"skip_steps": ["fil_all"]}, "'fil_all'; did you mean 'fill_all'"),
        ({"skip_steps": "fill_all"}, "skip_steps is a list of names, not 'fill_all'"),
        ({"skip_steps": None}, "skip_steps is a list of names, not None"),
        ({"skip_steps": [3]}, "unknown finishing step 3"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], said: str) -> None:
    model = shipped("geo").model
    with pytest.raises(UsageError, match=said):
        lear.Parser(model, **settings)
    parser = lear.Parser(model)
    ((name, value),) = settings.items()
    before = getattr(parser, name)
    with pytest.raises(UsageError, match=said):
        setattr(parser, name, value)
    assert getattr(parser, name) == before


def test_settings_that_fit_are_taken() -> None:
    parser = lear.Parser(shipped("geo").model, skip_steps=iter(["fill_all"]))  # type: ignore[arg-type]
    assert parser.skip_steps == ("fill_all",)
    parser.skip_steps = ["raise_most"]
    parser.min_probability = 1
    parser.unknown_words = "overlook"
    assert (parser.skip_steps, parser.min_probability) == (("raise_most",), 1.0)
    assert parser.unknown_words == "overlook"


def test_what_is_no_model_and_no_limits_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="from_pretrained"):
        lear.Parser(cast(Any, "geo"))
    with pytest.raises(UsageError, match=r"limits is a lear\.Limits, not 3"):
        lear.Parser(shipped("cogs").model, limits=cast(Any, 3))
    with pytest.raises(UsageError, match="domain 'cogs' has no finishing steps"):
        lear.Parser(shipped("cogs").model, skip_steps=["fill_all"])


def test_an_unknown_model_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="did you mean 'cogs'"):
        lear.Parser.from_pretrained("cog")


def test_a_pipe_takes_no_more_than_it_needs(parser: lear.Parser) -> None:
    taken = []

    def endless() -> Iterator[str]:
        while True:
            taken.append(ROSE)
            yield ROSE

    parses = parser.pipe(endless(), batch_size=4)
    assert taken == []
    assert [parse.form for parse in islice(parses, 3)] == [ROSE_FORM] * 3
    assert len(taken) == 4
    assert len(list(islice(parses, 2))) == 2
    assert len(taken) == 8


@pytest.mark.slow
def test_processes_answer_as_one_does(parser: lear.Parser) -> None:
    texts = [*SENTENCES["cogs"], "", "was was was", "Zoe saw a zebra .", "Emma slept"] * 3
    alone = list(parser.pipe(texts, nbest=2))
    assert_same_answers(list(parser.pipe(texts, nbest=2, jobs=2, batch_size=5)), alone)


@pytest.mark.slow
def test_forms_are_run_also_where_another_process_found_them() -> None:
    (alone,) = shipped("geo").pipe(["what is the area of texas"])
    (other,) = shipped("geo").pipe(["what is the area of texas"], jobs=2)
    assert other.denotation == alone.denotation is not None
    assert other.unit == alone.unit == "square miles"


@pytest.mark.slow
def test_processes_take_no_more_than_they_need(parser: lear.Parser) -> None:
    taken = []

    def endless() -> Iterator[str]:
        while True:
            taken.append(ROSE)
            yield ROSE

    parses = parser.pipe(endless(), jobs=2, batch_size=3)
    assert [parse.form for parse in islice(parses, 4)] == [ROSE_FORM] * 4
    assert len(taken) <= 3 * 2 * 2 + 3
    assert isinstance(parses, Iterator)
    parses.close()  # type: ignore[attr-defined]


LONG = "The girl said that " * 48 + "Emma slept ."


def test_a_long_sentence_with_an_answer_has_it_whatever_else_is_asked_for(
    parser: lear.Parser,
) -> None:
    best = parser(LONG)
    assert best.form is not None
    assert parser(LONG, nbest=2).form == best.form


def test_all_shipped_models_are_decoded_by_chart() -> None:
    assert all(isinstance(shipped(name).decoder, ChartDecoder) for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_forgotten_changes_no_answer(name: str) -> None:
    forgetful = lear.Parser(shipped(name).model, max_remembered=1)
    texts = [*SENTENCES[name], "qqqqqq", *reversed(SENTENCES[name])]
    one_by_one = [forgetful(text, 2) for text in texts]
    assert_same_answers(one_by_one, [shipped(name)(text, 2) for text in texts])


@pytest.mark.parametrize("name", NAMES)
def test_memory_does_not_grow_with_the_sentences_seen(name: str) -> None:
    bound = 30
    parser = lear.Parser(shipped(name).model, max_remembered=bound)
    words = sorted(parser.model.lexicon.words)
    rng = random.Random(1)
    for _ in range(40):
        sentence = rng.choice(SENTENCES[name]).split()
        sentence[rng.randrange(len(sentence))] = rng.choice([*words, f"qq{rng.random()}"])
        parser(" ".join(sentence))
        assert isinstance(parser.decoder, ChartDecoder)
        assert len(parser.decoder._decoded) <= bound
    parser._forget()  # as before the next sentence
    assert isinstance(parser.decoder, ChartDecoder)
    at_first = lear.Parser(shipped(name).model)
    assert isinstance(at_first.decoder, ChartDecoder)
    assert parser.decoder.num_rules <= at_first.decoder.num_rules + 2 * bound
    num_categories = at_first.reader.categories.num_categories + bound
    assert parser.reader.categories.num_categories <= num_categories


def test_a_sentence_beyond_a_limit_is_told_which_one() -> None:
    model = shipped("cogs").model
    told = {
        Limits(characters=10): "the sentence has 27 characters, more than 10",
        Limits(tokens=2): "the sentence has 8 tokens, more than 2",
        Limits(combinations=1): "no answer among the first 1 combinations of its phrases: "
        "the sentence, of 8 words and marks, is too long or too ambiguous",
    }
    text = "A rose was helped by a dog."
    for limits, reason in told.items():
        parser = pickle.loads(pickle.dumps(lear.Parser(model, limits=limits)))
        assert parser(text).reason == reason
    assert lear.Parser(model)(text).form is not None
    with pytest.raises(UsageError, match=r"limits\.tokens"):
        Limits(tokens=0)


def test_belief_meets_a_limit_at_some_temperatures_only_and_raises_nothing() -> None:
    """Fitting a calibration asks at all temperatures; more is likely at higher ones."""
    model = shipped("geo").model
    text = "what is the capital of the state with the largest population"
    tokens = tuple(text.split())
    temperatures = (0.25, 1.0, 4.0, 16.0)
    unlimited = lear.Parser(model).belief(tokens)
    assert unlimited is not None
    truth = list(map(unlimited.probability_at, temperatures))
    assert all(truth)
    patterns = set()
    combinations, found = 100, [0.0]
    while not all(found):
        combinations = combinations * 11 // 10
        belief = lear.Parser(model, limits=Limits(combinations=combinations)).belief(tokens)
        if belief is not None:
            found = list(map(belief.probability_at, temperatures))
            assert all(p in (0.0, pytest.approx(q)) for p, q in zip(found, truth, strict=True))
            patterns.add(tuple(p > 0 for p in found))
    assert any(any(pattern) and not all(pattern) for pattern in patterns)
