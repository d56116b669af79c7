"""The site of the documentation: built without a warning, whole, and nothing from outside."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="needs sphinx: pip install 'lear[docs]'")
pytest.importorskip("furo", reason="needs furo: pip install 'lear[docs]'")
pytest.importorskip("myst_parser", reason="needs myst-parser: pip install 'lear[docs]'")

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
ASSETS = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*?\ssrc=["']?(?P<src>[^"'\s>]+)"""
    r"""|<link\b(?=[^>]*\srel=["']?(?:stylesheet|preload|icon|preconnect))"""
    r"""[^>]*?\shref=["']?(?P<href>[^"'\s>]+)"""
    r"""|@import\s+(?:url\()?["']?(?P<imported>[^"')\s]+)"""
    r"""|url\(["']?(?P<url>[^"')\s]+)"""
)
"""What a browser fetches by itself; links that a reader may follow are not among it."""


def assets(text: str) -> list[str]:
    return [next(filter(None, found.groups())) for found in ASSETS.finditer(text)]


def is_outside(address: str) -> bool:
    return address.startswith(("http:", "https:", "//"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    # As `make docs` does it.
    command = [
        *(sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"),
        *("--doctree-dir", str(folder / "doctrees"), str(ROOT / "docs"), str(folder / "site")),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def test_every_page_is_there_with_the_reference_of_the_interface(site: Path) -> None:
    for page in (ROOT / "docs").glob("*.md"):
        assert (site / f"{page.stem}.html").is_file()
    reference = (site / "api.html").read_text()
    for name in ("lear.Parser.pipe", "lear.domain.Domain", "lear.errors.UsageError"):
        assert f'id="{name}"' in reference


def test_a_browser_fetches_nothing_from_outside(site: Path) -> None:
    files = [path for path in site.rglob("*") if path.suffix in (".html", ".css")]
    fetched = {address for path in files for address in assets(path.read_text())}
    assert any(address.endswith(".css") or ".css?" in address for address in fetched)
    assert [address for address in fetched if is_outside(address)] == []


def test_what_comes_from_outside_would_be_found() -> None:
    for text in (
        '<link href="https://fonts.example/x.css" rel="stylesheet">',
        '<link rel="stylesheet" href="//cdn.example/x.css">',
        '<script async src="https://cdn.example/x.js"></script>',
        "@import 'https://cdn.example/x.css';",
        "a { background: url(https://cdn.example/x.png) }",
    ):
        assert [address for address in assets(text) if is_outside(address)], text
