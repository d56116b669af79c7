"""The pictures of the page in README and docs: python -m tests.support.page_screenshots [FOLDER]"""

import io
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from tests.support.browser import new_context, open_page, running_browser, serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

DOCS = Path(__file__).parent.parent.parent / "docs"
MAX_BYTES = 200_000
NUM_COLOURS = 192
WINDOW = {"width": 1280, "height": 1320}
BORDERS = "how big is the largest state that borders pensylvania"
ACTIVE, PASSIVE = "Emma gave the girl a cake .", "A cake was given to the girl by Emma ."


def take(folder: Path) -> None:
    """Write both pictures; they must stay small enough for a README."""
    with serving() as address, running_browser() as browser:
        light = new_context(browser, viewport=WINDOW).new_page()
        open_page(light, address, model="geo", text=BORDERS)
        node = re.compile("^fill_in: .*over “state that borders pennsylvania”")
        light.get_by_role("treeitem", name=node).hover()
        keep(light, folder / "page-tree.png")
        dark = new_context(browser, viewport=WINDOW, color_scheme="dark").new_page()
        open_page(dark, address, model="cogs", text=ACTIVE, model2="cogs", text2=PASSIVE)
        keep(dark, folder / "page-compare.png")


def keep(page: "Page", path: Path) -> None:
    """Write what the window shows, once everything in it has come to rest."""
    page.wait_for_selector(".example")
    page.evaluate("() => Promise.all(document.getAnimations().map((one) => one.finished))")
    # Few colours are enough for letters and lines, and a third of the size.
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(NUM_COLOURS)
    picture.save(path, optimize=True)
    size = path.stat().st_size
    assert size <= MAX_BYTES, f"{path} has {size:,} bytes"
    sys.stdout.write(f"{path}: {size:,} bytes\n")


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS)
