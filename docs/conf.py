"""How the site is built of these pages: `make docs`. Nothing in it comes from outside."""

import re
import sys
import tomllib
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
REPOSITORY = PROJECT["urls"]["Homepage"]
sys.path.insert(0, str(ROOT / "src"))

from lear.version import __version__  # noqa: E402  # from this clone, whatever is installed

project = "lear"
author = "The lear maintainers"
copyright = author  # the name that Sphinx wants
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["results"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"lear {release}"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"top_of_page_buttons": []}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
default_role = "code"  # docstrings write code as Markdown does


def setup(app: Sphinx) -> None:
    """What Sphinx calls before it builds."""
    app.connect("include-read", link_to_repository)


def link_to_repository(app: Sphinx, path: Path, parent: str, content: list[str]) -> None:
    """Link what the README names beside the docs to the repository: the site does not have it."""
    del app, path, parent
    link = r"\]\((?!docs/)([\w./-]+)\)"
    content[0] = re.sub(link, rf"]({REPOSITORY}/blob/main/\1)", content[0])
