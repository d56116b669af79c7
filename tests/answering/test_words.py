"""What becomes of words never seen: repaired, guessed, overlooked or refused, and told."""

import pickle

import pytest

import lear
from lear.answering.words import WordCheck, check_words
from lear.grammar.unknown_words import UnknownWords
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


def test_places_of_words_are_told_and_not_of_others_that_are_spelt_alike() -> None:
    check = checked("geo", "what is the captial of the state with the largest capital")
    assert check.marks == ((3, 4, "repaired", "captial"),)
    wide = checked("geo", "how many residents does the us have")
    for begin, end, _, word in wide.marks:
        assert dict(wide.repaired)[word] == " ".join(wide.tokens[begin:end])
    assert len(wide.marks) == len(wide.repaired) > 0
    assert checked("cogs", "A zorple saw a zorple .").marks == tuple(
        (place, place + 1, "guessed", "a new noun") for place in (1, 4)
    )


def test_an_answer_tells_where_the_words_stand_that_it_leaves_out() -> None:
    parser = lear.Parser(shipped("geo").model, unknown_words="overlook")
    parse = parser("zorbly rivers in pensylvania")
    assert [mark[:3] for mark in parse.marks] == [(3, 4, "repaired"), (0, 1, "overlooked")]
    assert parse.overlooked == ("zorbly",)
    assert pickle.loads(pickle.dumps(parse)).marks == parse.marks


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
@pytest.mark.parametrize(
    "text", ["what cities are bigger than boston", "which states are larger than texas"]
)
def test_a_comparative_is_not_read_as_an_adjective(policy: UnknownWords, text: str) -> None:
    """Whatever the model's lexicon says that it is related to."""
    parse = lear.Parser(shipped("geo").model, unknown_words=policy)(text)
    assert not any(word in ("bigger", "larger") for word, _ in parse.guessed)
    if policy == "refuse":
        assert parse.form is None
        assert "unknown word" in parse.reason
    else:
        assert parse.overlooked


@pytest.mark.parametrize(
    "text",
    [
        "How many people live in St. Louis?",
        "which rivers are longer than the ohio",
    ],
)
def test_words_that_training_uses_so_are_not_marked(text: str) -> None:
    parse = shipped("geo")(text)
    assert parse.form is not None
    assert parse.unused == ()


def test_words_that_an_answer_leaves_out_are_marked() -> None:
    """No training row leaves "in" out where a property is told of what is compared by another."""
    text = "how many people live in the smallest state by area"
    assert shipped("geo")(text).unused == ("in",)


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


def test_answers_do_not_depend_on_the_policy_of_those_before() -> None:
    """Words that are known in names only ("Little Haven") are looked up anew each time."""
    model = shipped("geo").model
    texts = ["what is the biggest township in texas", "what haven is in texas"]
    fresh = [lear.Parser(model, unknown_words="overlook")(text) for text in texts]
    switched = lear.Parser(model)
    refused = [switched(text) for text in texts]
    switched.unknown_words = "overlook"
    for text, before, first in zip(texts, fresh, refused, strict=True):
        assert first.form is None
        again = switched(text)
        assert (again.form, again.marks) == (before.form, before.marks)
        assert not set(again.overlooked) & {word for word, _ in again.guessed}


def test_tokens_are_made_writable_as_text_is() -> None:
    parse = shipped("cogs").parse(("Emma", "sl\ud800ept", "."))
    assert parse.to_json()
    assert "\ud800" not in "".join(parse.tokens)
