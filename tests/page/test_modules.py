"""The page's own code: typed, small, by itself, and its pure parts tested without a browser."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import lear
from tests.support.browser import absent, node

ROOT = Path(__file__).parent.parent.parent
PAGE = Path(lear.__file__).parent / "page"
TEXTS = sorted(path for path in PAGE.rglob("*") if path.suffix in (".js", ".css", ".html", ".svg"))
MAX_LINES = 350
MAX_BYTES = 125_000


def test_the_pure_parts_keep_their_laws() -> None:
    tests = [str(path) for path in sorted((Path(__file__).parent / "modules").glob("*.test.mjs"))]
    result = subprocess.run([node(), "--test", *tests], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
    assert re.search(r"pass [1-9]", result.stdout)


@pytest.mark.slow
def test_the_types_of_the_page_are_right() -> None:
    tsc = shutil.which("tsc") or shutil.which("tsc", path=str(ROOT / "node_modules/.bin"))
    if tsc is None:
        absent("needs TypeScript: npm install --no-save typescript@5.9.3")
    project = Path(__file__).parent / "tsconfig.json"
    result = subprocess.run([tsc, "--project", str(project)], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_the_page_is_small() -> None:
    for path in TEXTS:
        assert len(path.read_text().splitlines()) <= MAX_LINES, path
    assert sum(path.stat().st_size for path in TEXTS) < MAX_BYTES


def test_the_page_names_no_other_address() -> None:
    for path in TEXTS:
        text = path.read_text().replace("http://www.w3.org/2000/svg", "")  # a name, not an address
        assert "//" not in re.sub(r"^\s*//.*$|(?<=[;,{] )// .*$", "", text, flags=re.M), path


def test_the_page_sets_no_markup_and_runs_no_text() -> None:
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
    for path in PAGE.glob("*.js"):
        assert not re.search(forbidden, path.read_text()), path
    index = (PAGE / "index.html").read_text()
    assert not re.search(r"\sstyle=|\son\w+=|<style|<script>", index)
