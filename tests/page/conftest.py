"""A service for all tests of the page, and a window for each of them that sees what goes wrong."""

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.support.browser import new_context, running_browser, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with serving("--workers", "1") as address:
        yield address


# Of a module: its event loop must not run while tests of others have theirs.
@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with running_browser() as browser:
        yield browser


@pytest.fixture
def settings() -> dict[str, object]:
    """How the window of a test differs from the usual one; tests give it by parametrizing."""
    return {}


@pytest.fixture
def context(browser: "Browser", settings: dict[str, object]) -> Iterator["BrowserContext"]:
    context = new_context(browser, **settings)
    yield context
    context.close()


@pytest.fixture
def page(context: "BrowserContext", address: str) -> Iterator["Page"]:
    """A window in which nothing may fail, and which may ask nobody but the service."""
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
    page.on("request", lambda request: outside(request.url, address, troubles))
    yield page
    # That a request was refused is shown in the page, where tests look for it.
    assert [text for text in troubles if not text.startswith("Failed to load resource")] == []


def outside(url: str, address: str, troubles: list[str]) -> None:
    """Note a request to anybody but the service."""
    parts = urlsplit(url)
    if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != urlsplit(address).netloc:
        troubles.append(f"asked {url}")
