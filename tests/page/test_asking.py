"""One types a sentence, picks an example, follows a link, compares: and sees what comes of it."""

from typing import TYPE_CHECKING

import pytest

from tests.support.browser import NARROW, open_page
from tests.support.shipped import shipped

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

CAPITAL = "What is the capital of Texas?"
SENTENCES = {
    "cogs": "Emma gave the girl a cake .",
    "cfq": "Did M0 direct M1",
    "geo": CAPITAL,
    "geo-query": "what is the capital of the largest state",
    "slog": "The girl that Emma gave a cake to smiled .",
}


def text_of(page: "Page", selector: str) -> str:
    return page.locator(selector).first.inner_text()


def shown_form(page: "Page") -> str:
    """The form as the page shows it, without the numbers of primitives."""
    return str(
        page.evaluate(
            """() => {
              const copy = document.querySelector("pre.form").cloneNode(true);
              copy.querySelectorAll(".number").forEach((number) => number.remove());
              return copy.textContent.trim();
            }"""
        )
    )


def ask(page: "Page", text: str) -> None:
    page.get_by_label("Sentence", exact=True).fill(text)
    page.get_by_role("button", name="Parse").click()


def test_a_page_without_a_link_shows_an_example(page: "Page", address: str) -> None:
    page.goto(address)
    page.wait_for_selector(".result [role=tree]")
    assert page.get_by_label("Sentence", exact=True).input_value()
    assert page.locator(".example").count() >= 3


def test_what_is_typed_is_parsed_and_answered_with_units(page: "Page", address: str) -> None:
    page.goto(address)
    page.wait_for_selector(".result [role=tree]")
    ask(page, "how big is alaska")
    page.wait_for_selector("text=591,000 square miles (1,530,683 square km)")
    assert shown_form(page) == shipped("geo")("how big is alaska").form


@pytest.mark.parametrize("model", SENTENCES)
def test_every_model_answers(page: "Page", address: str, model: str) -> None:
    parse = shipped(model)(SENTENCES[model])
    open_page(page, address, model=model, text=SENTENCES[model])
    assert shown_form(page) == parse.form
    num_nodes = page.locator("[role=treeitem]").count()
    assert num_nodes == str(parse.derivation).count("begin=")
    assert page.locator(".sure .percent").inner_text().endswith("%")


@pytest.mark.parametrize("model", SENTENCES)
def test_every_example_shows_what_its_name_promises(page: "Page", address: str, model: str) -> None:
    open_page(page, address, model=model, text=SENTENCES[model])
    page.wait_for_selector(".example")
    examples = page.evaluate(
        "async (name) => (await (await fetch(`api/models/${name}`)).json()).examples", model
    )
    assert {example["kind"] for example in examples} >= {"deep", "unknown", "ambiguous"}
    for index, example in enumerate(examples):
        page.locator(".example").nth(index).click()
        page.wait_for_function(
            "text => document.querySelector('.result')?.getAttribute('aria-label').endsWith(text)",
            arg=example["text"],
        )
        marks = page.locator(".mark").count()
        has_tree = page.locator("[role=tree]").count() == 1
        if example["kind"] in ("plain", "deep", "ambiguous"):
            assert has_tree, example
        if example["kind"] in ("unknown", "refused", "repaired"):
            assert marks, example
        if example["kind"] == "ambiguous":
            assert page.locator(".choice").count() > 1, example


def test_the_answers_have_bars_as_long_as_they_are_likely(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text="how big is new york", nbest=3)
    parse = shipped("geo")("how big is new york", 3)
    widths = page.evaluate(
        "[...document.querySelectorAll('.choice .bar')]"
        ".map(bar => bar.firstChild.getBoundingClientRect().width / (bar.clientWidth))"
    )
    probabilities = [answer.probability for answer in parse.nbest]
    assert len(widths) == len(probabilities) == 3
    for width, probability in zip(widths, probabilities, strict=True):
        assert abs(width - (probability or 0)) < 0.02
    page.locator(".choice input").nth(1).check()
    assert shown_form(page) == parse.nbest[1].form
    assert "rank=2" in page.url


def test_a_link_brings_the_same_state_back(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text="how big is new york")
    page.locator("summary", has_text="Settings").click()
    page.get_by_label("Answers to look for").fill("4")
    page.get_by_label("Unknown words").select_option("overlook")
    page.get_by_role("button", name="Compare two").click()
    second = page.locator(".side").nth(1)
    second.get_by_label("Model").select_option("cogs")
    second.get_by_label("Sentence").fill("Emma slept .")
    page.get_by_role("button", name="Parse").click()
    page.wait_for_selector("text=The forms differ.")
    page.locator(".choice input").nth(2).check()
    page.locator("[data-part=back]").nth(0).click()
    page.locator("[role=tree]").nth(1).get_by_role("treeitem").nth(2).click()
    page.wait_for_function("() => /step=/.test(location.hash) && /node2=/.test(location.hash)")
    before, url = seen(page), page.url
    length = page.evaluate("history.length")
    page.goto("about:blank")
    page.goto(url)
    page.wait_for_selector("text=The forms differ.")
    assert seen(page) == before
    assert "4" in before
    assert page.evaluate("history.length") == length + 2  # which are these two addresses


def test_steps_and_nodes_do_not_fill_the_history(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text=CAPITAL)
    length = page.evaluate("history.length")
    for _ in range(5):
        page.get_by_role("button", name="One step back").click()
    page.get_by_role("treeitem", name="texas 3").click()
    page.wait_for_function("() => /step=3&node=/.test(location.hash)")
    assert page.evaluate("history.length") == length
    ask(page, "how big is alaska")
    page.wait_for_selector("text=591,000")
    assert "step" not in page.url
    page.go_back()
    page.wait_for_selector("text=austin")
    assert page.locator("[data-part=count]").inner_text().startswith("3 /")


def seen(page: "Page") -> list[str]:
    """All that people see of a state: texts, then what stands in fields, and chosen nodes."""
    fields = page.evaluate("[...document.querySelectorAll('input, select')].map(f => f.value)")
    fields += page.locator("[aria-selected=true]").evaluate_all("all => all.map(n => n.ariaLabel)")
    return [*page.locator("#ask, #verdict, #results").all_inner_texts(), *map(str, fields)]


@pytest.mark.parametrize("settings", [{"permissions": ["clipboard-read", "clipboard-write"]}])
def test_link_and_form_can_be_copied(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text=CAPITAL)
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_selector("#status.shown")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.get_by_role("button", name="Copy", exact=True).click()
    page.wait_for_selector("text=The form is copied.")
    assert page.evaluate("navigator.clipboard.readText()") == shipped("geo")(CAPITAL).form


def test_two_models_stand_side_by_side(page: "Page", address: str) -> None:
    text = "what is the capital of the largest state"
    open_page(page, address, model="geo", text=text, model2="geo-query", text2=text)
    assert page.locator(".result").count() == 2
    assert text_of(page, "#verdict") == "Both sides have the same form."
    page.get_by_role("button", name="Back to one").click()
    page.wait_for_selector("body:not(.comparing)")
    page.wait_for_function("() => document.querySelectorAll('.result').length === 1")


def test_script_in_a_sentence_is_text(page: "Page", address: str) -> None:
    evil = "<img src=x onerror=\"document['title']='broken'\"><script>alert(1)</script> texas"
    open_page(page, address, model="geo", text=evil, unknown_words="overlook")
    open_page(page, address, model="cogs", text=evil)
    assert page.title() != "broken"
    assert page.locator("main img, main script").count() == 0
    assert page.locator(".token").all_inner_texts()[:4] == ["<", "img", "src", "="]
    page.locator(".token").first.click()
    page.wait_for_selector("dialog[open] #lexicon-body p")
    assert page.locator("dialog img").count() == 0


def test_links_that_make_no_sense_are_taken_for_what_they_are(page: "Page", address: str) -> None:
    page.goto(f"{address}#model=../../etc&text=texas&nbest=1e9&min_probability=x&rank=-7")
    page.wait_for_selector("#trouble:not([hidden])")
    told = "There is no model “../../etc” here: choose one, and press Parse."
    assert text_of(page, "#trouble") == told
    assert page.get_by_label("Sentence", exact=True).input_value() == "texas"
    assert page.get_by_label("Model").input_value() == ""
    page.get_by_label("Model").select_option("geo")
    page.get_by_role("button", name="Parse").click()
    page.wait_for_selector(".result")
    assert page.locator("#trouble").is_hidden()


def test_an_error_of_the_service_is_told_and_the_next_question_answered(
    page: "Page", address: str
) -> None:
    open_page(page, address, model="geo", text="texas " * 600)
    assert text_of(page, "#trouble").startswith("The sentence has 600 tokens")
    assert page.locator(".result").count() == 0
    ask(page, CAPITAL)
    page.wait_for_selector("text=austin")
    assert page.locator("#trouble").is_hidden()


def test_the_lexicon_tells_what_a_word_stands_for(page: "Page", address: str) -> None:
    open_page(page, address, model="geo", text="how many rivers run through texas")
    page.get_by_role("button", name="rivers", exact=True).click()
    row = page.locator("dialog tbody tr").first
    row.wait_for()
    assert "Predicate river" in row.inner_text()
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


@pytest.mark.parametrize("settings", [{"viewport": NARROW, "has_touch": True}])
def test_on_a_phone_nothing_is_wider_than_the_screen(page: "Page", address: str) -> None:
    for model, text in SENTENCES.items():
        open_page(page, address, model=model, text=text, model2="geo", text2="xyzzy texas")
        page.wait_for_selector(".example")
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page.locator("[data-part=forward]").first.tap()
    page.locator("[role=treeitem]").first.tap()
    assert "operation" in text_of(page, ".node-card")
