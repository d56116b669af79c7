"""Settings of a run: a recipe or a TOML file, every value of which a flag can override.

Recipes ship with lear, one TOML file for each domain and way of training: `best` is what `lear
train` uses by default, `paper` is the paper's, `reinforce` is REINFORCE at its best here. A domain
may name a folder of its own (`Domain.recipes`); a domain without recipes uses those of `any`.
"""

from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import tomli_w

from lear.errors import DataError, UsageError
from lear.messages import did_you_mean, explain
from lear.model.config import Amount, Count, CountOrNone, ModelConfig, OptimConfig
from lear.storage.files import decode_toml, read_toml

DEFAULT = "best"
ANY_DOMAIN = "any"


def all_recipes() -> list[str]:
    """Return the names of all recipes that ship, for any domain."""
    return sorted({path.stem for path in _root().glob("*/*.toml")})


def find_recipe(domain: str, name: str = DEFAULT, own: Path | None = None) -> Path:
    """Find the file of a domain's recipe; `own` is the folder that the domain names, if any."""
    folder = own or _root() / domain
    if not folder.is_dir():
        folder = _root() / ANY_DOMAIN
    recipes = {path.stem: path for path in folder.glob("*.toml")}
    if name not in recipes:
        raise UsageError(f"unknown recipe {name!r}{did_you_mean(name, recipes)}")
    return recipes[name]


def _root() -> Path:
    return Path(str(files("lear") / "recipes"))


Threads = Annotated[int, msgspec.Meta(ge=1, le=256)]
Seed = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]


class Stage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One stage of the curriculum."""

    epochs: Count
    """The largest number of passes over the rows of this stage."""
    max_tokens: CountOrNone = 0
    """The largest number of tokens of a row; 0 is all rows."""
    rows: CountOrNone = 0
    """The number of these rows in an epoch, a new sample each time; 0 is all."""
    rate: Amount = 1.0
    """The share of the learning rates that the stage begins with."""
    final_rate: Amount | None = None
    """The share at its end, to which rates change evenly; by default the same."""
    entropy: Amount | None = None
    """The weight of the policy's entropy in this stage (reinforce); by default that of `optim`."""
    enough: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    """The stage ends as soon as exact match on dev is at least this; 0 is never."""


class RunConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that decides a run; the same values give the same weights.

    A new setting has the default None, which is not written: runs that were made before it are
    still recognised as the same (`lear.reproduce.runs`).
    """

    benchmark: str
    """A name such as `cogs/gen`."""
    seed: Seed = 1
    device: str = "cpu"
    threads: Threads = 1
    """The threads of torch. One is fastest: the tensors are small."""
    lexicon: Literal["induced", "related", "by_hand"] = "induced"
    """The source of units and their primitives: training rows alone; the same with a thesaurus for
    words that they lack, where a domain has one; or entries that were written by hand."""
    train_rows: Count | None = None
    """The number of training rows to learn from, drawn by the seed. None is all."""
    extra_rows: Literal["renamed"] | None = None
    """Further training rows: copies with names that things of several sorts have, where a domain
    has such names."""
    language: str | None = None
    """The variant of a language that is inferred from training rows. None chooses one on rows held
    out from training."""
    types: str | None = None
    """A file of types (`lear types`) in place of those that would be inferred."""
    dev_every: Annotated[float, msgspec.Meta(ge=0.001, le=10**9)] = 1
    """The epochs between evaluations on dev (0.25 is four in an epoch); the last is evaluated."""
    model: ModelConfig = ModelConfig()
    optim: OptimConfig = OptimConfig()
    curriculum: Annotated[tuple[Stage, ...], msgspec.Meta(min_length=1)] = (Stage(epochs=20),)

    def __post_init__(self) -> None:
        if self.device != "cpu":
            _try_device(self.device)
        model = self.model
        is_context_free = model.symbols == "typed" and model.encoder == "tree" and model.abstraction
        if self.optim.objective != "exact" and model.members > 1:
            raise ValueError("model.members above 1 needs objective 'exact'")
        if model.leaf_symbols == "typed" and model.nothing != "interpreter":
            # Else the Composer would draw a symbol that the Interpreter's choice rules out.
            raise ValueError("model.leaf_symbols = 'typed' needs model.nothing = 'interpreter'")
        if model.leaf_symbols == "typed" and model.symbols != "latent":
            raise ValueError("model.leaf_symbols = 'typed' needs model.symbols = 'latent'")
        if self.optim.objective == "exact" and not is_context_free:
            raise ValueError(
                "objective 'exact' needs model.symbols = 'typed', model.encoder = 'tree' and "
                "model.abstraction = true"
            )


def _try_device(device: str) -> None:
    """Raise `ValueError` if there is no such device."""
    import torch  # takes seconds, and most settings need none of it

    try:
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError) as error:  # unknown, or not on this machine
        reason = str(error).splitlines()[0]
        raise ValueError(f"device {device!r} cannot be used: {reason}") from None


def load_config(path: Path | None, overrides: dict[str, str]) -> RunConfig:
    """Read the settings of a file, with dotted overrides on top."""
    try:
        values = {} if path is None else read_toml(path, "a config")
    except DataError as error:
        raise UsageError(str(error)) from None
    from_file = deepcopy(values)
    for key, text in overrides.items():
        *sections, name = key.split(".")
        place = values
        for section in sections:
            place = place.setdefault(section, {})
            if not isinstance(place, dict):
                raise UsageError(f"--{key}: {section!r} is not a section")
        place[name] = _value(text)
    try:
        return msgspec.convert(values, RunConfig)
    except msgspec.ValidationError as error:
        given = {"benchmark": ""} if "benchmark" in overrides else {}
        source = "flags" if path is None or _is_valid({**given, **from_file}) else str(path)
        raise UsageError(
            f"{source}: {explain(error, RunConfig, ModelConfig, OptimConfig, Stage)}"
        ) from None


def _is_valid(values: dict[str, Any]) -> bool:
    """Return True if these are the settings of a run."""
    try:
        msgspec.convert(values, RunConfig)
    except msgspec.ValidationError:
        return False
    return True


def _value(text: str) -> Any:
    """Read a flag's text as a TOML value, else as a string."""
    try:
        return decode_toml(f"value = {text}")["value"]
    except ValueError:
        return text


def to_toml(config: RunConfig) -> str:
    """Write the config as `--config` reads it."""
    return tomli_w.dumps(_without_nothing(msgspec.to_builtins(config)))


def _without_nothing(values: Any) -> Any:
    """Drop settings that are None, which TOML has no word for: they are the defaults."""
    if isinstance(values, dict):
        return {k: _without_nothing(v) for k, v in values.items() if v is not None}
    return [_without_nothing(v) for v in values] if isinstance(values, list | tuple) else values
