"""A model that somebody made from pairs is served like those that ship."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lear.__main__ import main
from lear.domains.terms.corpus import HOME
from tests.support.browser import new_context, open_page, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service of the folder of a run on a few pairs."""
    run = tmp_path_factory.mktemp("home") / "run"
    settings = ["--curriculum", "[{epochs = 8}]"]
    assert main(["train", str(HOME), "--seed", "1", "--output", str(run), *settings]) == 0
    with serving(str(run), "--workers", "1") as address:
        yield address


def test_its_examples_are_training_rows(browser: "Browser", home: str) -> None:
    page = new_context(browser).new_page()
    page.goto(home)
    page.wait_for_selector(".example")
    assert page.get_by_label("Model").input_value() == "run"
    texts = page.locator(".example span").all_inner_texts()
    rows = HOME.read_text()
    assert len(texts) == 3
    assert all(text in rows for text in texts)
    page.wait_for_selector(".result")
    assert page.get_by_label("Sentence", exact=True).input_value() == texts[0]


def test_parts_of_its_forms_have_holes(browser: "Browser", home: str) -> None:
    page = new_context(browser).new_page()
    open_page(page, home, model="run", text="turn on the light in the bedroom")
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON").click()
    waiting = [json.loads(Path(download.value.path()).read_bytes())["derivation"]]
    meanings = []
    while waiting:
        node = waiting.pop()
        meanings.append(node["meaning"])
        waiting += node["children"]
    assert "light(bedroom)" in " ".join(meanings)
    assert any("?" in meaning for meaning in meanings)
    assert not [meaning for meaning in meanings if "Part(" in meaning or "\0" in meaning]


def test_a_model_without_examples_promises_none(browser: "Browser", address: str) -> None:
    page = new_context(browser).new_page()

    def bare(route: object) -> None:
        answer = route.fetch()  # type: ignore[attr-defined]
        route.fulfill(response=answer, json=answer.json() | {"examples": []})  # type: ignore[attr-defined]

    page.route("**/api/models/geo", bare)
    page.goto(address)
    page.wait_for_selector(".description:not(:empty)")
    field = page.get_by_label("Sentence", exact=True)
    page.wait_for_function(
        "() => performance.getEntriesByName(location.href.split('#')[0] + 'api/models/geo').length"
    )
    assert field.get_attribute("placeholder") == "Type a sentence"
    assert page.locator(".result").count() == 0
