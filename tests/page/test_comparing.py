"""Two results side by side: how one gets there and back, and what is seen of the differences."""

from typing import TYPE_CHECKING

import pytest

from tests.support.browser import open_page

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

CAPITAL = "what is the capital of texas"


def models(page: "Page") -> list[str]:
    return [field.input_value() for field in page.get_by_label("Model").all()]


@pytest.mark.parametrize(
    ("model", "other"), [("geo", "geo-query"), ("geo-query", "geo"), ("cfq", "cfq")]
)
def test_a_comparison_begins_with_what_can_be_compared(
    page: "Page", address: str, model: str, other: str
) -> None:
    text = CAPITAL if model != "cfq" else "Did M0 direct M1 's founder"
    open_page(page, address, model=model, text=text)
    page.get_by_role("button", name="Compare two").click()
    page.wait_for_selector("body.comparing")
    assert models(page) == [model, other]
    texts = [field.input_value() for field in page.get_by_label("Sentence", exact=True).all()]
    assert (texts[0] == texts[1]) == (model != other)
    assert "press Parse" in page.locator(".waiting").inner_text()
    page.get_by_role("button", name="Parse").click()
    page.wait_for_function("() => document.querySelectorAll('.result').length === 2")
    assert page.locator(".waiting").count() == 0


def test_before_anything_is_compared_there_is_a_way_back(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text=CAPITAL)
    url = page.url
    page.get_by_role("button", name="Compare two").click()
    page.get_by_role("button", name="Back to one").click()
    page.wait_for_selector("body:not(.comparing)")
    assert page.locator(".waiting").count() == 0
    assert page.locator(".result").count() == 1
    assert page.url == url


def test_each_side_says_what_it_is_and_cards_stand_side_by_side(page: "Page", address: str) -> None:
    long = "what is the population of the capital of the largest state that borders texas"
    open_page(page, address, model="geo", text=CAPITAL, model2="geo", text2=long)
    headings = [" ".join(h.inner_text().split()) for h in page.locator(".result-title").all()]
    assert headings == [f"First: geo {CAPITAL}", f"Second: geo {long}"]
    for card in ("sentence", "answer", "tree", "form"):
        tops = page.evaluate(
            "name => [...document.querySelectorAll(`.${name}-card`)]"
            ".map(card => Math.round(card.getBoundingClientRect().top))",
            card,
        )
        assert tops[0] == tops[1], card


def test_what_only_one_form_has_is_marked(page: "Page", address: str) -> None:
    open_page(
        page, address, model="geo", text=CAPITAL, model2="geo", text2="what is the capital of ohio"
    )
    marked = "[...document.querySelectorAll('.form-card mark')].map(m => m.textContent)"
    assert page.evaluate(marked) == ["stateid('texas')3", "stateid('ohio')4"]
    assert "marked" in page.locator("#verdict").inner_text()


def test_active_and_passive_differ_in_order_only(page: "Page", address: str) -> None:
    active, passive = "Emma gave the girl a cake .", "A cake was given to the girl by Emma ."
    open_page(page, address, model="cogs", text=active, model2="cogs", text2=passive)
    assert page.locator("mark").count() == 0
    assert "only in order and variables" in page.locator("#verdict").inner_text()


def test_forms_are_broken_between_names_only(page: "Page", address: str) -> None:
    text = "what is the population of the capital of the largest state that borders texas"
    open_page(page, address, model="geo", text=text, model2="cogs", text2="A rose was helped .")
    num_lines = page.evaluate(
        """[...document.querySelectorAll('pre.form .whole')].map((one) => (
          new Set([...one.getClientRects()].map(({ top }) => Math.round(top))).size))"""
    )
    assert len(num_lines) > 5
    assert set(num_lines) == {1}
