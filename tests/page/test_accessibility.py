"""axe-core finds nothing to object to, in any state, in light and in dark."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.browser import NARROW, open_page

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

AXE = (Path(__file__).parent / "vendor/axe.min.js").read_text()
BORDERS = "what is the largest state that borders a state that borders texas"
STATES: dict[str, dict[str, str]] = {
    "answer": {"model": "geo", "text": BORDERS},
    "form without an answer": {"model": "cogs", "text": "A rose was helped by a dog in a house ."},
    "refusal": {"model": "geo", "text": "What is the capital of France?"},
    "marks": {"model": "geo", "text": "zorbly rivers in pensylvania", "unknown_words": "overlook"},
    "comparison": {"model": "cogs", "text": "A zorple slept .", "model2": "cfq", "text2": "M0 M1"},
    "error": {"model": "nobody", "text": "texas"},
}


def violations(page: "Page") -> list[str]:
    page.evaluate(AXE)
    found = page.evaluate("async () => (await axe.run({ resultTypes: ['violations'] })).violations")
    return [
        f"{rule['id']}: {rule['help']}: {[node['html'][:120] for node in rule['nodes'][:3]]}"
        for rule in found
    ]


@pytest.mark.parametrize("settings", [{"color_scheme": "light"}, {"color_scheme": "dark"}])
def test_no_state_of_the_page_has_a_violation(page: "Page", address: str) -> None:
    for name, fields in STATES.items():
        open_page(page, address, **fields)
        if name != "error":
            page.wait_for_selector(".example")
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        assert (name, violations(page)) == (name, [])


@pytest.mark.parametrize("settings", [{"color_scheme": "light"}, {"color_scheme": "dark"}])
def test_nor_has_what_waits_for_somebody_to_act(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text=BORDERS)
    page.get_by_role("button", name="Compare two").dblclick()
    page.wait_for_selector(".waiting")
    assert page.locator(".waiting").count() == 1
    assert violations(page) == []
    page.route("**/api/parse", lambda route: route.abort())
    page.get_by_role("button", name="Parse").click()
    page.wait_for_selector("text=Try again")
    assert violations(page) == []
    open_page(page, address, **STATES["answer"], model2="geo", text2="how big is texas")
    page.unroute("**/api/parse")
    page.reload()
    page.wait_for_selector("mark")
    assert violations(page) == []


@pytest.mark.parametrize(
    "settings", [{"color_scheme": scheme, "viewport": NARROW} for scheme in ("light", "dark")]
)
def test_nor_has_the_lexicon_nor_a_tree_half_grown_on_a_phone(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text=BORDERS)
    page.locator("[data-part=first]").click()
    page.locator("[data-part=forward]").click()
    page.locator("[role=treeitem]:not(.future)").focus()
    assert violations(page) == []
    page.locator(".token").nth(3).click()
    page.wait_for_selector("dialog tbody tr")
    assert violations(page) == []


def test_the_theme_can_be_chosen_and_is_kept(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text="texas ohio")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_label("Colours").select_option("dark")
    dark = page.evaluate(paper)
    assert dark != light
    page.reload()
    assert page.evaluate(paper) == dark


def test_a_screen_reader_is_told_what_came_of_a_question(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text="what is the capital of texas")
    assert page.locator("[role=status]").inner_text().startswith("Answer: austin.")
    tree = page.get_by_role("tree", name="Derivation of “what is the capital of texas”")
    assert tree.get_by_role("treeitem").first.get_attribute("aria-level") == "1"
    labels = [item.get_attribute("aria-label") for item in tree.get_by_role("treeitem").all()]
    assert "texas 3 stateid('texas'): primitive, Entity [tx]" in labels
