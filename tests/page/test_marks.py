"""What was refused, repaired, guessed or overlooked is marked in the sentence itself."""

import re
from typing import TYPE_CHECKING

import pytest

from tests.support.browser import open_page
from tests.support.shipped import shipped

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

REFUSED = [
    ("geo", "What is the capital of France?", ["France: unknown"]),
    ("geo", "xyzzy plugh", ["xyzzy: unknown", "plugh: unknown"]),
    ("geo", "capital texas river iowa", ["capital: not joined", "texas river: not joined"]),
    ("geo", "the the the", ["the the the: outside the language"]),
    ("cfq", "M0 M1", ["M0 M1: not a whole sentence"]),
    ("cfq", "Who was M0", ["Who was: without use"]),
    ("cogs", "was was .", ["was was .: outside the language"]),
    ("geo-query", "how big is new york", ["new: unknown", "york: unknown"]),
    ("geo", "   ?  ", []),
]
ANSWERED = [
    ("geo", "how big is pensylvania", ["pennsylvania: read for “pensylvania”"]),
    # A word spelt right is not marked because another one was repaired.
    (
        "geo",
        "what is the captial of the state with the largest capital",
        ["capital: read for “captial”"],
    ),
    ("cogs", "A zorple slept .", ["zorple: never seen, read as a new noun"]),
    ("geo", "Which zorbly rivers run through Texas?", ["zorbly: overlooked"]),
]


def marks(page: "Page") -> list[str]:
    """Each marked group of words with what its mark says, without the sign before it."""
    found = page.evaluate(
        """[...document.querySelectorAll('.group:has(.mark)')].map((group) => {
          const words = [...group.querySelectorAll('.token')].map((word) => word.textContent);
          return `${words.join(' ')}: ${group.querySelector('.mark').textContent}`;
        })"""
    )
    return [str(mark) for mark in found]


@pytest.mark.parametrize(("model", "text", "marked"), REFUSED)
def test_a_refusal_is_marked_where_its_reason_lies(
    page: "Page", address: str, model: str, text: str, marked: list[str]
) -> None:
    open_page(page, address, model=model, text=text)
    assert page.locator(".answer").inner_text() == shipped(model)(text).reason
    assert page.get_by_role("heading", name="No answer").is_visible()
    assert marks(page) == marked
    assert page.locator("[role=tree]").count() == 0
    assert "No answer" in page.locator("#status").inner_text()


def test_an_answer_that_is_not_likely_enough_is_refused(page: "Page", address: str) -> None:
    text = "how big is new york"
    open_page(page, address, model="geo", text=text, min_probability=0.99)
    assert "less than 0.99" in page.locator(".answer").inner_text()


@pytest.mark.parametrize(("model", "text", "marked"), ANSWERED)
def test_what_was_done_about_a_word_is_marked_where_it_stands(
    page: "Page", address: str, model: str, text: str, marked: list[str]
) -> None:
    open_page(page, address, model=model, text=text, unknown_words="overlook")
    assert marks(page) == marked
    assert page.locator("[role=tree]").count() == 1


def test_a_word_that_became_several_is_marked_as_a_whole(page: "Page", address: str) -> None:
    parse = shipped("geo")("how many residents does the us have")
    open_page(page, address, model="geo", text="how many residents does the us have")
    for word, read_as in parse.repaired:
        assert f"{read_as}: read for “{word}”" in marks(page)
    assert parse.repaired


def test_the_sentence_is_shown_as_it_was_typed(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text="What is the Captial of New York?")
    shown = page.locator(".words").all_inner_texts()
    words = " ".join(re.sub(r"\d", "", text) for text in shown)
    assert re.sub(r"\s+", " ", words).replace(" ?", "?").strip() == (
        "What is the capital of New York?"
    )
    page.get_by_role("button", name="York", exact=True).click()
    page.wait_for_selector("dialog tbody tr")


def test_marks_differ_by_more_than_colour(page: "Page", address: str) -> None:
    open_page(
        page, address, model="geo", text="how big is pensylvania", model2="geo", text2="xyzzy"
    )
    signs = page.evaluate(
        "[...document.querySelectorAll('.mark')].map(m => getComputedStyle(m, '::before').content)"
    )
    assert len(set(signs)) == 2
    lines = page.evaluate(
        "['.repaired', '.refused'].map(kind =>"
        " getComputedStyle(document.querySelector(`.group${kind}`)).borderBottomStyle)"
    )
    assert len(set(lines)) == 2
