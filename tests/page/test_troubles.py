"""Whatever goes wrong is told in one clear way, and there is a way on."""

from typing import TYPE_CHECKING

import pytest

from tests.support.browser import NARROW, link, open_page

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.slow

CAPITAL = "What is the capital of Texas?"
TOKEN = "öffne dich, сезам"


def trouble(page: "Page") -> str:
    return page.locator("#trouble p").inner_text()


def test_a_setting_that_is_out_of_bounds_is_shown(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text=CAPITAL)
    summary = page.locator("summary", has_text="Settings")
    summary.click()
    page.get_by_label("Answers to look for").fill("50")
    summary.click()
    assert not page.get_by_label("Answers to look for").is_visible()
    page.get_by_role("button", name="Parse").click()
    assert page.get_by_label("Answers to look for").is_visible()
    assert page.evaluate("document.activeElement.id") == "nbest"
    assert "nbest" not in page.url


def test_a_page_whose_service_is_away_can_be_tried_again(page: "Page", address: str) -> None:
    page.route("**/api/**", lambda route: route.abort())
    page.goto(link(address, model="geo", text=CAPITAL))
    page.wait_for_selector("#trouble:not([hidden])")
    assert trouble(page) == "The service does not answer. Is `lear serve` still running?"
    assert page.get_by_role("button", name="Compare two").is_hidden()
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector("#trouble:not([hidden])")
    page.unroute("**/api/**")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector("text=austin")
    assert page.locator("#trouble").is_hidden()


def test_a_service_that_goes_away_can_be_asked_again(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text=CAPITAL)
    page.route("**/api/parse", lambda route: route.abort())
    page.get_by_role("button", name="Parse").click()
    page.wait_for_selector("#trouble:not([hidden])")
    assert trouble(page).startswith("The service does not answer.")
    page.unroute("**/api/parse")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector("text=austin")


def test_of_two_sentences_the_one_that_is_too_long_is_named(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text="texas", model2="geo", text2="texas " * 600)
    assert trouble(page).startswith("The second sentence has 600 tokens")


def guard(route: "Route") -> None:
    """A service that wants a token, as the real one does."""
    if route.request.headers.get("authorization", "") == f"Bearer {TOKEN}":
        route.continue_()
    else:
        error = {"code": "unauthorized", "message": "send the token: Authorization: Bearer TOKEN"}
        route.fulfill(status=401, json={"error": error})


@pytest.mark.parametrize("wrong", ["opensesame", "\U0001f511"])
def test_a_wrong_token_is_told_apart_from_none(page: "Page", address: str, wrong: str) -> None:
    page.route("**/api/**", guard)
    page.goto(link(address, model="geo", text=CAPITAL))
    page.wait_for_selector("#trouble:not([hidden])")
    assert trouble(page) == "This service asks for a token."
    page.get_by_label("Token").fill(wrong)
    page.get_by_role("button", name="Use it").click()
    page.wait_for_selector("text=The service does not take this token.")
    page.reload()
    page.wait_for_selector("text=This service asks for a token.")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Use it").click()
    page.wait_for_selector("text=austin")
    with page.expect_download() as download:
        page.get_by_role("link", name="API").click()
    assert download.value.suggested_filename == "openapi.json"


def test_who_has_no_token_yet_is_asked_for_one_by_the_link_too(page: "Page", address: str) -> None:
    page.route("**/api/**", guard)
    page.goto(address)
    page.wait_for_selector("#trouble:not([hidden])")
    page.get_by_role("link", name="API").click()
    page.wait_for_selector("#trouble input")
    assert page.url == address


def test_an_unknown_word_can_be_overlooked_at_once(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text="Which zorbly rivers run through Texas?")
    page.get_by_role("button", name="overlook it").click()
    page.wait_for_selector(".mark.overlooked")
    assert page.get_by_label("Unknown words").input_value() == "overlook"
    page.go_back()
    page.wait_for_selector(".mark.refused")
    assert page.get_by_label("Unknown words").input_value() == "refuse"


@pytest.mark.parametrize("settings", [{"viewport": NARROW}])
def test_a_long_answer_can_be_seen_whole_on_a_phone(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text="what are the cities in california")
    answer = page.locator(".answer")
    is_cut = "answer => answer.scrollHeight > answer.clientHeight + 1"
    assert answer.evaluate(is_cut)
    page.get_by_role("button", name="Show all").click()
    assert not answer.evaluate(is_cut)
    assert page.get_by_role("button", name="Show all").is_hidden()
    open_page(
        page, address, model="geo", text="which rivers run through the states that border texas"
    )
    assert not answer.evaluate(is_cut)
