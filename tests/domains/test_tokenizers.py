"""Laws that the tokenizers of all domains keep, on text from anywhere and on benchmark rows."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given

from lear.benchmark import PARTS
from lear.domains.registry import find_domain
from lear.domains.toy import generate
from tests.support.typed_text import ANY_TEXT, TYPED_TEXT

DOMAINS = ("cogs", "slog", "cfq", "geo", "toy")
Tokenize = Callable[[str], tuple[str, ...]]


def tokenizer(domain: str) -> Tokenize:
    return find_domain(domain).words.tokenize


def distinct_lines(paths: Iterable[Path]) -> dict[str, None]:
    """The lines of files, each once: splits of one benchmark share many."""
    return dict.fromkeys(line for path in paths for line in path.read_text().splitlines())


def assert_same(tokenize: Tokenize, text: str, tokens: tuple[str, ...]) -> None:
    """A row's text gives its tokens; so do the tokens, and the text as people would write it."""
    assert tokenize(text) == tokens
    assert tokenize(" ".join(tokens)) == tokens
    assert tokenize(f"\ufeff {text.replace(' ', '  ')}\r\n") == tokens
    assert tokenize(text.replace(" ", "\u00a0").replace("'", "\u2019")) == tokens
    assert tokenize(f"\u201c{text}\u201d") == tokens


TYPED = {
    "cogs": {
        "Emma slept.": "Emma slept .",
        "Emma slept": "Emma slept .",
        "Emma slept !?": "Emma slept .",
        "the girl saw a tv": "The girl saw a TV .",
        "THE GIRL SAW A TV!": "The girl saw a TV .",
        "an envelope froze": "A envelope froze .",
        "Emma saw The girl": "Emma saw the girl .",
        '"The girl" (slept)\u2026': "The girl slept .",
        "Emma\u2019s x-ray froze": "Emma 's x-ray froze .",
        "Emma slept... Liam ran": "Emma slept . Liam ran .",
        "touch": "touch",
        "Emma.": "Emma",
        " ... ": "",
    },
    "slog": {
        "Emma slept": "Emma slept .",
        "the girl slept.": "The girl slept .",
        "who slept": "Who slept ?",
        "WHAT DID THE GIRL EAT?!": "What did the girl eat ?",
        "the cake in a box": "the cake in a box",
        "The cake that Emma ate": "The cake that Emma ate",
        '"a cake"': "a cake",
        "touch": "touch",
        "": "",
    },
    "toy": {
        "The girl sees Tom\u2019s sister.": "the girl sees Tom 's sister",
        "Tom teaches John's best-friend's son!": "Tom teaches John 's best friend 's son",
        "THE GIRL SEES THE BOY": "the girl sees the boy",
        "": "",
    },
}


@pytest.mark.parametrize("domain", TYPED)
def test_what_people_type_is_spelt_as_in_the_files(domain: str) -> None:
    for text, tokens in TYPED[domain].items():
        assert tokenizer(domain)(text) == tuple(tokens.split())


@pytest.mark.parametrize("domain", DOMAINS)
@given(text=ANY_TEXT | TYPED_TEXT)
def test_tokens_are_their_own_tokens(domain: str, text: str) -> None:
    tokens = tokenizer(domain)(text)
    assert tokenizer(domain)(" ".join(tokens)) == tokens
    assert tokens == tuple(" ".join(tokens).split())
    " ".join(tokens).encode()


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize(
    "piece",
    ["a ", "A", "a.", "'", "'s", "' ", "x's", "-", "_", "a_", ", ", "?! ", "1,000", "u s ",
     "\u0301", "a\u0301\u0327", "\U0001f370", "\u05d0\u202e", "\ud800", "\x00", "what's ",
     "saint "],
)  # fmt: skip
def test_long_text_is_no_trouble(domain: str, piece: str) -> None:
    text = piece * 10_000
    assert tokenizer(domain)(" ".join(tokenizer(domain)(text))) == tokenizer(domain)(text)


@pytest.mark.parametrize("part", PARTS)
def test_rows_of_toy_are_left_as_they_are(part: str) -> None:
    tokenize = tokenizer("toy")
    for row in generate(part, seed=1):
        text = " ".join(row.tokens)
        assert_same(tokenize, text, row.tokens)
        assert tokenize(f"{text[0].upper()}{text[1:]}.".replace(" 's", "'s")) == row.tokens
        assert tokenize(text.upper()) == tokenize(text.lower())


@pytest.mark.data
@pytest.mark.slow
def test_rows_of_cogs_are_left_as_they_are(data_folder: Path) -> None:
    tokenize = tokenizer("cogs")
    lines = distinct_lines((data_folder / "cogs").glob("*.tsv"))
    for text in dict.fromkeys(line.split("\t")[0] for line in lines):
        tokens = tuple(text.split())
        assert_same(tokenize, text, tokens)
        assert tokenize(text.removesuffix(" .")) == tokens
        assert tokenize(text.replace(" .", "?!")) == tokens
        assert tokenize(text.upper()) == tokenize(text.lower())
        if tokens[0] in ("A", "The"):
            assert tokenize(text[0].lower() + text[1:]) == tokens
            if not any(token[0].isupper() for token in tokens[1:] if token != "TV"):  # no name
                assert tokenize(text.upper()) == tokens


@pytest.mark.data
@pytest.mark.slow
def test_rows_of_cfq_are_their_tokens(cfq_folder: Path) -> None:
    tokenize = tokenizer("cfq")
    for text in distinct_lines((cfq_folder / "cfq").glob("mcd*/*/*_encode.txt")):
        tokens = tokenize(text)
        spelt_as_the_files_do = " ".join(tokens).replace("'s", "' s").replace(",and", ", and")
        assert spelt_as_the_files_do == text
        assert tokenize(" ".join(tokens)) == tokens
        assert tokenize(text.lower()) == tokens
        assert tokenize(f"{text.upper()}?") == tokens
        assert tokenize(f"{text} ?".replace(" ' s", "\u2019s").replace(" ,", ",")) == tokens


@pytest.mark.data
def test_rows_of_geo_are_their_tokens(geo_data: Path) -> None:
    tokenize = tokenizer("geo")
    files = (*(geo_data / "geo").glob("*/*_en.txt"), geo_data / "geo/funql_880/questions.txt")
    for text in distinct_lines(files):
        assert_same(tokenize, text, tuple(text.split()))
        assert tokenize(f"{text.upper()}?") == tokenize(text)
        assert tokenize(f"{text.title()} ...") == tokenize(text)
