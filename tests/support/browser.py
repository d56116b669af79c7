"""A service and a browser for tests of the page; each says what it needs where it is missing."""

import importlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlencode

import pytest

from tests.support.service_process import RunningService

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 20_000
"""Milliseconds that a page may take for anything: machines that run tests are busy."""
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


def absent(need: str) -> NoReturn:
    """Skip the test, since something is not there; on hosted machines, which have all, fail it."""
    if os.environ.get("CI"):
        pytest.fail(need)
    pytest.skip(need)


def needed(module: str, need: str) -> Any:
    """A module that tests of the page cannot do without."""
    try:
        return importlib.import_module(module)
    except ImportError:
        absent(need)


@contextmanager
def serving(*arguments: str) -> Iterator[str]:
    """The address of a service of its own."""
    needed("uvicorn", "needs uvicorn: pip install '.[serve]'")
    service = RunningService(*arguments)
    try:
        yield f"http://{service.host}:{service.port}/"
    finally:
        service.stop()


@contextmanager
def running_browser() -> Iterator["Browser"]:
    """Debian's chromium, driven by Playwright."""
    api = needed("playwright.sync_api", "needs playwright: pip install '.[dev]'")
    if not Path(CHROMIUM).is_file():
        absent(f"needs {CHROMIUM}: apt-get install chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


def link(address: str, **fields: str | int | float) -> str:
    """The address of the page with a state: model, text, model2, text2, nbest, ..."""
    return f"{address}#{urlencode(fields)}"


def new_context(browser: "Browser", **settings: object) -> "BrowserContext":
    """A window of its own in which nothing moves unless a test wants it to."""
    usual = {"viewport": WIDE, "reduced_motion": "reduce", "color_scheme": "light"}
    context = browser.new_context(**(usual | settings))  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE)
    return context


def open_page(page: "Page", address: str, **fields: str | int | float) -> None:
    """Open the page with a question, and wait for what comes of it."""
    page.goto("about:blank")  # or another state of the same page would not be loaded anew
    page.goto(link(address, **fields))
    page.wait_for_selector(".result .group, #trouble:not([hidden])")


def node() -> str:
    """Node.js: that of the system, or the one that Playwright brings along."""
    found = shutil.which("node")
    if found:
        return found
    playwright = needed("playwright", "needs node, or playwright, which has it")
    return str(Path(playwright.__file__).parent / "driver/node")
