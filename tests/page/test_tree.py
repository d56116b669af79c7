"""The tree: it grows in order, tells of its nodes, can be walked by keyboard, and downloaded."""

import json
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from tests.support.browser import open_page
from tests.support.shipped import shipped

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

ROSE = "A rose was helped by a dog in a house ."
DEEP = (
    "Emma said that Noah believed that the girl hoped that a cat on the table beside the tree in "
    "the garden in the house beside a road thought that Liam declared that the boy liked that a "
    "dog in the room on a stage knew that Olivia meant that the king dreamed that a rose was "
    "helped by the frog ."
)
VISIBLE = "document.querySelectorAll('[role=treeitem]:not(.future)').length"
MOVING = pytest.mark.parametrize("settings", [{"reduced_motion": "no-preference"}])


def step_text(page: "Page") -> str:
    return page.locator("[data-part=count]").inner_text()


def count(page: "Page") -> int:
    return int(page.evaluate(VISIBLE))


def tab_to(page: "Page", selector: str) -> None:
    """Press the tabulator until an element has the focus, as people without a mouse do."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached by keyboard")


@MOVING
def test_the_tree_grows_by_itself_in_the_order_of_merging(page: "Page", address: str) -> None:
    page.clock.install()
    open_page(page, address, model="cogs", text=ROSE)
    num_nodes = page.locator("[role=treeitem]").count()
    assert count(page) < num_nodes
    for _ in range(num_nodes):  # a step takes 650 milliseconds at most
        shown = count(page)
        page.clock.run_for(700)
        assert count(page) >= min(num_nodes, shown + 1)
        spans = page.evaluate(
            """[...document.querySelectorAll('[role=treeitem]')].map((item) => ({
              is_shown: !item.classList.contains('future'), level: Number(item.ariaLevel),
            }))"""
        )
        # Parts come before what is made of them: under a node that is shown, all are shown.
        level = 99
        for item in spans:
            if item["level"] <= level:
                level = 99
            assert item["is_shown"] or level == 99
            if item["is_shown"] and level == 99:
                level = item["level"]
    assert step_text(page) == f"{num_nodes} / {num_nodes}"
    assert page.get_by_role("button", name="Play").is_visible()


@MOVING
def test_playing_can_be_stopped_and_taken_up_again(page: "Page", address: str) -> None:
    page.clock.install()
    open_page(page, address, model="cogs", text=ROSE)
    page.get_by_role("button", name="Pause").click()
    at = step_text(page)
    page.clock.run_for(5000)
    assert step_text(page) == at
    page.get_by_role("button", name="Back to the sentence").click()
    assert count(page) == 0
    page.get_by_role("button", name="One step on").click()
    page.get_by_role("button", name="One step on").click()
    assert count(page) == 2
    page.get_by_role("button", name="One step back").click()
    assert count(page) == 1
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(1400)
    assert count(page) > 1
    page.get_by_role("button", name="To the whole tree").click()
    assert count(page) == page.locator("[role=treeitem]").count()


def test_without_motion_the_whole_tree_is_there_at_once(page: "Page", address: str) -> None:
    open_page(page, address, model="cogs", text=ROSE)
    assert count(page) == page.locator("[role=treeitem]").count() == 11


def test_a_node_tells_its_span_symbol_meaning_and_score(page: "Page", address: str) -> None:
    open_page(page, address, model="cogs", text=ROSE)
    node = page.get_by_role("treeitem", name="modify_in: operation with the function word “in”")
    node.hover()
    card = page.locator(".node-card")
    told = card.inner_text()
    for part in ("modify_in", "a dog in a house", "5 to 10", "NounPhrase", "Score", "Meaning"):
        assert part in told
    assert page.locator(".token.in-span").all_inner_texts() == ["a", "dog", "in", "a", "house"]
    page.get_by_role("treeitem", name="rose 1 rose: primitive, Noun").click()
    assert "primitive Noun rose" in card.inner_text()
    assert page.locator(".token.in-span").all_inner_texts() == ["rose"]


def test_a_primitive_has_one_colour_and_one_number_everywhere(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text="which rivers run through new york")
    found = page.evaluate(
        """() => {
          const style = (element, name) => getComputedStyle(element).getPropertyValue(name);
          const word = [...document.querySelectorAll('.group.primitive')].map((group) => [
            style(group.querySelector('.token'), 'color'),
            group.querySelector('.number').textContent]);
          const drawn = [...document.querySelectorAll('.node.primitive')].map((node) => [
            style(node.querySelector('.label'), 'fill'),
            node.querySelector('.number').textContent.trim()]);
          const form = [...document.querySelectorAll('pre.form .symbol')].map((symbol) => [
            style(symbol, 'color'), symbol.querySelector('.number').textContent]);
          return [word, drawn, form].map((pairs) => Object.fromEntries(pairs));
        }"""
    )
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 3
    assert set(found[0].values()) == {"1", "2", "3"}


def test_everything_can_be_done_by_keyboard(page: "Page", address: str) -> None:
    page.goto(address)
    page.wait_for_selector(".result [role=tree]")
    tab_to(page, "[data-part=text]")
    page.keyboard.press("Control+A")
    page.keyboard.type("which rivers run through new york")
    page.keyboard.press("Enter")
    page.wait_for_selector("[aria-label='geo: which rivers run through new york'] [role=treeitem]")
    tab_to(page, "[data-part=step]")
    page.keyboard.press("Home")
    assert count(page) == 0
    page.keyboard.press("End")
    tab_to(page, "[role=treeitem]")
    heading = page.locator(".node-card h3")
    visited = [heading.inner_text()]
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft", "End", "Home"):
        page.keyboard.press(key)
        visited.append(heading.inner_text())
    assert visited[0] == visited[-1]
    assert visited[2] == visited[4]
    assert visited[1] == visited[5]
    assert "Entity stateid('new york')" in visited[6]
    tab_to(page, ".downloads button")
    tab_to(page, ".choice input")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.value") == "1"
    assert "rank=2" in page.url


def test_the_tree_is_a_few_stops_away_from_the_sentence(page: "Page", address: str) -> None:
    open_page(page, address, model="cogs", text=DEEP)
    page.get_by_label("Sentence", exact=True).focus()
    stops = 0
    while not page.evaluate("document.activeElement.matches('[role=treeitem]')"):
        page.keyboard.press("Tab")
        stops += 1
    assert stops <= 20
    page.locator("[data-part=text]").focus()
    tab_to(page, ".token")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.textContent") == "said"
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.textContent") == "."


@pytest.mark.parametrize(("to", "selector"), [("result", "#results"), ("tree", "[role=treeitem]")])
def test_one_can_skip_what_stands_before(
    page: "Page", address: str, to: str, selector: str
) -> None:
    open_page(page, address, model="cogs", text=ROSE)
    url = page.url
    page.get_by_role("link", name=f"Skip to the {to}").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("selector => document.activeElement.matches(selector)", selector)
    assert page.locator(".result").count() == 1
    assert page.get_by_label("Sentence", exact=True).input_value() == ROSE
    assert page.url.split("&node")[0] == url


def test_letters_of_large_trees_are_large_enough_to_read(page: "Page", address: str) -> None:
    open_page(page, address, model="cogs", text=DEEP)
    least = "document.querySelector('.node .label').getBoundingClientRect().height"
    assert page.evaluate(least) >= 0.8 * 13


def test_deep_trees_can_be_fitted_and_scrolled(page: "Page", address: str) -> None:
    open_page(page, address, model="cogs", text=DEEP)
    assert len(shipped("cogs")(DEEP).tokens) > 50
    overflow = """() => {
      const drawing = document.querySelector('.drawing');
      return drawing.scrollWidth - drawing.clientWidth;
    }"""
    assert page.evaluate(overflow) > 0
    page.get_by_role("button", name="Fit the whole tree").click()
    assert page.evaluate(overflow) <= 0
    for _ in range(8):
        page.get_by_role("button", name="Larger").click()
    page.locator("[role=treeitem]").first.focus()
    page.keyboard.press("End")
    assert page.evaluate("document.querySelector('.drawing').scrollLeft") > 0
    inside = page.evaluate(
        """() => {
          const room = document.querySelector('.drawing').getBoundingClientRect();
          const node = document.activeElement.getBoundingClientRect();
          return node.left >= room.left - 1 && node.right <= room.right + 1;
        }"""
    )
    assert inside


def test_labels_do_not_lie_on_each_other(page: "Page", address: str) -> None:
    open_page(page, address, model="cogs", text=DEEP)
    boxes = page.evaluate(
        """[...document.querySelectorAll('.node rect:not(.hit)')].map((box) => {
          const { left, right, top, bottom } = box.getBoundingClientRect();
          return [left, right, top, bottom];
        })"""
    )
    for index, (left, right, top, bottom) in enumerate(boxes):
        for other in boxes[index + 1 :]:
            apart = right <= other[0] or other[1] <= left or bottom <= other[2] or other[3] <= top
            assert apart


def downloaded(page: "Page", name: str, folder: Path) -> Path:
    with page.expect_download() as download:
        page.locator(".downloads").get_by_role("button", name=name).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_the_tree_is_downloaded_in_four_formats(page: "Page", address: str, tmp_path: Path) -> None:
    parse = shipped("cogs")(ROSE)
    open_page(page, address, model="cogs", text=ROSE)
    svg = downloaded(page, "SVG", tmp_path)
    assert svg.name == "cogs-A-rose-was-helped-by-a.svg"
    parts = ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")
    assert {*parse.tokens, "modify_in"} <= {(part.text or "").strip() for part in parts}
    assert "var(" not in svg.read_text()  # as other programs know no style sheet of ours
    png = downloaded(page, "PNG", tmp_path).read_bytes()
    assert png.startswith(b"\x89PNG\r\n")
    assert int.from_bytes(png[16:20], "big") > 1000
    assert downloaded(page, "LaTeX", tmp_path).read_text() == parse.to_latex()
    record = json.loads(downloaded(page, "JSON", tmp_path).read_bytes())
    assert (record["form"], record["tokens"]) == (parse.form, list(parse.tokens))
    assert record["derivation"]["operation"] == "end_sentence"


def test_latex_is_that_of_the_command_line(page: "Page", address: str, tmp_path: Path) -> None:
    text = "Who directed M0 and influenced M1 's founder"
    open_page(page, address, model="cfq", text=text)
    assert downloaded(page, "LaTeX", tmp_path).read_text() == shipped("cfq")(text).to_latex()


def test_the_tree_is_there_as_text(page: "Page", address: str) -> None:
    open_page(page, address, model="cogs", text=ROSE)
    page.get_by_text("The tree as text").click()
    lines = page.locator(".outline").inner_text().splitlines()
    assert "rose = Noun rose" in lines
    assert "determine_indefinite A" in lines
