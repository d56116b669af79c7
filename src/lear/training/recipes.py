"""Recipes: settings that ship with lear, one TOML file for each domain and way of training.

`best` is what `lear train` uses by default, `paper` is the paper's, `reinforce` is REINFORCE at its
best here. A domain of one's own may name a folder of its own (`Domain.recipes`); a domain without
any uses those of `any`.
"""

from importlib.resources import files
from pathlib import Path

from lear.errors import UsageError
from lear.messages.suggestions import did_you_mean

DEFAULT = "best"
ANY_DOMAIN = "any"


def all_recipes() -> list[str]:
    """The names of all recipes that ship, of whatever domain."""
    return sorted({path.stem for path in _root().glob("*/*.toml")})


def find_recipe(domain: str, name: str = DEFAULT, own: Path | None = None) -> Path:
    """The file of a domain's recipe; `own` is the folder that the domain names, if any."""
    folder = own or _root() / domain
    if not folder.is_dir():
        folder = _root() / ANY_DOMAIN
    recipes = {path.stem: path for path in folder.glob("*.toml")}
    if name not in recipes:
        raise UsageError(f"unknown recipe {name!r}{did_you_mean(name, recipes)}")
    return recipes[name]


def _root() -> Path:
    return Path(str(files("lear") / "recipes"))
