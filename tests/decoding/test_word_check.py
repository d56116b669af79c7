"""What becomes of words never seen: repaired, guessed, overlooked or refused, and told."""

import pytest

import lear
from lear.decoding.word_check import WordCheck, check_words
from tests.support.shipped import NAMES, SENTENCES, shipped


def checked(name: str, text: str, *, is_typed: bool = True) -> WordCheck:
    parser = shipped(name)
    return check_words(parser.reader, parser.domain.words.tokenize(text), is_typed=is_typed)


@pytest.mark.parametrize("name", NAMES)
def test_known_sentences_are_left_as_they_are(name: str) -> None:
    parser = shipped(name)
    for text in SENTENCES[name]:
        tokens = parser.domain.words.tokenize(text)
        assert checked(name, text) == WordCheck(tokens)


@pytest.mark.parametrize(
    ("word", "read_as"),
    [
        ("pensylvania", "pennsylvania"),
        ("missisippi", "mississippi"),
        ("popluation", "population"),
        ("sprngfield", "springfield"),
        ("pittsburg", "pittsburgh"),
    ],
)
def test_clear_misspellings_are_repaired_where_somebody_typed_them(word: str, read_as: str) -> None:
    check = checked("geo", f"what is the {word} of {word}")
    assert check.repaired == ((word, read_as),)
    assert check.tokens.count(read_as) == 2
    assert word not in check.tokens
    # Rows of a benchmark are taken as they are.
    plain = checked("geo", f"what is the {word} of {word}", is_typed=False)
    assert plain.repaired == ()
    assert plain.tokens.count(word) == 2


@pytest.mark.parametrize(
    "word",
    [
        "mayor", "qqqqqq", "zebra", "please", "least", "north", "derby", "rainiest", "youngest",
        "county", "counties", "though", "status", "stages", "prints", "denser", "carbon",
        "virginian", "weather", "traffic",
    ],
)  # fmt: skip
def test_other_words_are_not_repaired(word: str) -> None:
    assert checked("geo", f"what is the {word} of texas").repaired == ()


@pytest.mark.parametrize(
    ("word", "suggestion"),
    [
        ("statess", "states"),
        ("hawai", "hawaii"),
        ("citty", "city"),
        ("waht", "what"),
        ("north", None),
        ("derby", None),
        ("rainiest", None),
        ("youngest", None),
        ("please", None),
    ],
)
def test_only_words_in_frequent_use_are_suggested(word: str, suggestion: str | None) -> None:
    assert shipped("geo").reader.known_words.suggestion(word) == suggestion


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("cogs", "emma slept", "did you mean 'Emma'?"),
        ("cogs", "A Dog slept", "did you mean 'dog'?"),
        ("cogs", "emma", "did you mean 'Emma'?"),
        ("slog", "Did emma see", "did you mean 'did'?"),
    ],
)
def test_a_word_in_other_case_is_suggested(name: str, text: str, hint: str) -> None:
    assert hint in shipped(name)(text).reason


def test_a_word_that_may_be_new_is_not_repaired() -> None:
    parse = shipped("cogs")("Emma saw the feather.")
    assert parse.repaired == ()
    assert parse.guessed == (("feather", "a new noun"),)
    assert parse.form is not None


def test_mayor_is_not_major() -> None:
    parse = shipped("geo")("who is the mayor of springfield")
    assert parse.form is None
    assert parse.repaired == ()
    assert "'mayor'" in parse.reason


@pytest.mark.parametrize("policy", ["refuse", "overlook"])
def test_every_word_that_an_answer_leaves_out_is_told(policy: str) -> None:
    parser = lear.Parser.from_pretrained("geo", unknown_words=policy)
    for text in ("qqqqqq what is the capital of texas", "what is the capital of texas zzzzzz"):
        parse = parser(text)
        assert (parse.form is None) == (policy == "refuse")
        unknown = {"qqqqqq", "zzzzzz"} & set(text.split())
        if parse.form is None:
            assert all(repr(word) in parse.reason for word in unknown)
        else:
            assert set(parse.overlooked) == unknown


def test_who_refuses_unknown_words_wants_no_wild_guesses() -> None:
    text = "what is the popular of texas"
    refusing, overlooking = (
        lear.Parser.from_pretrained("geo", unknown_words=policy)(text)
        for policy in ("refuse", "overlook")
    )
    assert refusing.form is None
    assert "unknown word 'popular'" in refusing.reason
    assert overlooking.form is not None
    assert overlooking.guessed == (("popular", "populated"),)


def test_a_form_of_a_known_word_is_guessed_by_both() -> None:
    text = "which states are bordered by texas"
    for policy in ("refuse", "overlook"):
        parse = lear.Parser.from_pretrained("geo", unknown_words=policy)(text)
        assert parse.form is not None


@pytest.mark.parametrize("policy", ["refuse", "overlook"])
@pytest.mark.parametrize("text", ["asdf", "hello", "Zorb", "@", "should", "'s", "\u6f22\u5b57"])
@pytest.mark.parametrize("name", ["cogs", "slog"])
def test_a_lone_unknown_word_is_outside_the_language(name: str, text: str, policy: str) -> None:
    parse = lear.Parser.from_pretrained(name, unknown_words=policy)(text)
    assert parse.form is None
    assert parse.reason.startswith("unknown word ")


@pytest.mark.parametrize("text", ["Emma ate a \U0001f370.", "Emma @ slept", "Did Emma sleep?"])
@pytest.mark.parametrize("name", ["cogs", "slog"])
def test_only_words_are_new_nouns(name: str, text: str) -> None:
    assert "unknown word" in shipped(name)(text).reason


def test_a_new_noun_among_known_words_is_guessed() -> None:
    parse = shipped("cogs")("Emma ate a zorb.")
    assert parse.form is not None
    assert parse.notes == ("never seen, guessed: 'zorb' as 'a new noun'",)
    assert shipped("cogs")("dog").form == "LAMBDA a . dog ( a )"


def test_what_is_done_about_a_word_is_told_once() -> None:
    check = checked("cogs", "zorb " * 300 + "slept")
    assert check.guessed == (("zorb", "a new noun"),)
    assert check.num_guessed == 300
    assert checked("geo", "qqqqqq of qqqqqq").unknown == ("qqqqqq",)
    overlooking = lear.Parser.from_pretrained("geo", unknown_words="overlook")
    (note,) = overlooking("qqqqqq what is the capital of texas qqqqqq").notes
    assert note == "overlooked: 'qqqqqq'"
