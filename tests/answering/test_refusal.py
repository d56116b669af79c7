"""Reasons name what is wrong with a sentence, on one short line, for all domains."""

import pytest

import lear
from lear.answering.request import MAX_QUOTED, quoted
from tests.support.runs import config, run
from tests.support.shipped import shipped

CASES = [
    ("cogs", "was was was", "no word of the sentence stands for anything"),
    ("cogs", "slept Emma", "has a meaning, but is not a whole sentence"),
    ("cogs", "dog a .", "'dog a' has a meaning, but is not a whole sentence"),
    ("cogs", "The the dog slept", "'The the dog slept' has a meaning, but is not a whole sentence"),
    (
        "cogs",
        "A girl was helpd by Emma.",
        "unknown word 'helpd', tried as a new noun; did you mean",
    ),
    ("cogs", "zorb was was the", "beside 'zorb was' (unknown word 'zorb', tried as a new noun)"),
    ("cogs", "zorb qux", "(unknown words 'zorb', 'qux', tried as a new noun)"),
    ("slog", "Zed Emma sleep?", "no rule joins 'Zed' with 'Emma sleep'"),
    ("geo", "texas or ohio", "unknown word 'or'"),
    ("cogs", "", "the sentence is empty"),
    ("cfq", "M0 M1", "'M0 M1' has a meaning, but is not a whole sentence"),
    ("cfq", "Who was M0", "nothing could use 'Who was' beside 'M0'"),
    ("cfq", "Did", "no word of the sentence stands for anything"),
    ("cfq", "Did Spielberg direct M1", "unknown word 'spielberg'"),
    ("cfq", "Did M100 direct M1", "unknown word 'M100'; entities are named M0 to M9"),
    ("geo", "texas ohio", "no rule joins 'texas' with 'ohio'"),
    ("geo", "the the the", "no word of the sentence stands for anything"),
    ("geo", "xyzzy plugh", "unknown words 'xyzzy', 'plugh'"),
    ("geo", "who is the mayor of springfield", "unknown word 'mayor'; did you mean 'major'?"),
    ("geo", " \t\n", "the sentence is empty"),
    ("geo", "?!", "the sentence has no words"),
    ("cogs", ".,;:!?", "the sentence has no words"),
    ("cfq", "\x00", "the sentence has no words"),
    ("geo", "What is in Texas? What is in Ohio?", "more than one sentence"),
    ("geo", "capital of texas; ohio", "more than one sentence: another one begins with 'ohio'"),
    ("geo-query", "capital of texas - ohio", "more than one sentence"),
    ("cfq", "Did M0 direct M1? Did M1 direct M0?", "more than one sentence"),
    ("cogs", "Emma slept. The girl ate a cake.", "more than one sentence"),
    ("slog", "Who slept? Who ran?", "more than one sentence"),
]


@pytest.mark.parametrize(("name", "text", "said"), CASES)
def test_a_reason_says_what_is_wrong(name: str, text: str, said: str) -> None:
    parse = shipped(name)(text)
    assert parse.form is None
    assert said in parse.reason
    assert parse.reason != "no derivation"


@pytest.mark.parametrize(("name", "text", "said"), CASES)
def test_a_reason_lies_somewhere_in_the_sentence_unless_there_is_none(
    name: str, text: str, said: str
) -> None:
    parse = shipped(name)(text)
    assert bool(parse.refused) == bool(parse.tokens)
    for begin, end, why in parse.refused:
        assert 0 <= begin < end <= len(parse.tokens)
        assert why
    unknown = [parse.tokens[span.begin] for span in parse.refused if span.why == "unknown"]
    assert all(repr(word) in parse.reason for word in unknown)
    assert bool(unknown) == ("unknown" in said or "Zed" in said)


@pytest.mark.parametrize(
    "text",
    [
        "What is the population of St. Louis?",
        "What is the capital of the U.S.?",
        "How many people live in Washington, D.C.?",
        "What states have more than 1.5 rivers",
    ],
)
def test_abbreviations_and_numbers_end_no_sentence(text: str) -> None:
    assert "more than one sentence" not in shipped("geo")(text).reason
    assert shipped("geo")(text).tokens


def test_who_overlooks_words_overlooks_no_end_of_a_sentence() -> None:
    parser = lear.Parser.from_pretrained("geo", unknown_words="overlook")
    assert parser("What is in Texas? What is in Ohio?").reason.startswith("more than one sentence")


def test_tokens_are_taken_as_they_are() -> None:
    tokens = ("capital", "of", "texas", "?", "ohio")
    assert "more than one" not in shipped("geo").parse(tokens).reason


def test_refused_spans_are_in_the_record_of_a_parse() -> None:
    record = shipped("geo")("texas ohio").to_dict()
    assert record["refused"] == [
        {"span": [0, 1], "why": "not joined"},
        {"span": [1, 2], "why": "not joined"},
    ]
    assert shipped("geo")("what is the capital of texas").refused == ()


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> lear.Parser:
    return run(tmp_path_factory.mktemp("runs"), config(curriculum="[{epochs = 1}]"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Tom Tom Tom", "no rule joins 'Tom' with 'Tom'"),
        ("Tom Mary", "no rule joins 'Tom' with 'Mary'"),
        ("Zoe teaches Tom", "unknown word 'Zoe'"),
        ("tom sees Mary", "unknown word 'tom'; did you mean 'Tom'?"),
        ("Tom is a man. Tom sees Mary.", "more than one sentence"),
        ("Tom is the", "nothing could use 'is the' beside 'Tom'"),
        ("is the", "no word of the sentence stands for anything"),
        ("girl", "'girl' has a meaning, but is not a whole sentence"),
    ],
)
def test_a_reason_of_the_toy_language_says_it_too(toy: lear.Parser, text: str, said: str) -> None:
    parse = toy(text)
    assert parse.form is None
    assert said in parse.reason


@pytest.mark.parametrize("word", ["x" * 5000, "\x1b[31mred", "a\u202eb", "line\u2028feed"])
@pytest.mark.parametrize("name", ["cfq", "geo", "cogs"])
def test_reasons_are_short_and_without_control_characters(name: str, word: str) -> None:
    parse = shipped(name)(f"{word} {word} was")
    if parse.form is None:
        assert len(parse.reason.splitlines()) == 1
        assert parse.reason.isprintable()
        assert len(parse.reason) < 5 * MAX_QUOTED


def test_what_is_quoted_is_shortened() -> None:
    assert quoted("short") == "'short'"
    assert len(quoted("x" * 1000)) == MAX_QUOTED + 2
    assert quoted("x" * MAX_QUOTED) == repr("x" * MAX_QUOTED)


def test_reasons_are_short_however_many_words_are_unknown() -> None:
    words = [f"zz{chr(97 + n // 26)}{chr(97 + n % 26)}q" for n in range(400)]
    assert len(shipped("geo")(" ".join(words)).reason) < 500
