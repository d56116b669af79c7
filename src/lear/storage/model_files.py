"""Finding model files: those that ship, by name, and those of runs, by path."""

import os
from importlib.resources import files
from pathlib import Path

from lear.errors import DataError, UsageError
from lear.messages.suggestions import did_you_mean

MODEL_FILE = "model.safetensors"


def shipped_models() -> dict[str, Path]:
    """The models in the package, by name."""
    folder = Path(str(files("lear") / "pretrained"))
    return {path.parent.name: path for path in sorted(folder.glob(f"*/{MODEL_FILE}"))}


def find_model(name_or_path: str) -> Path:
    """The model file that a name or a path means: a run's folder, a model's folder, or a file.

    A name that ships means the model that ships, whatever lies in the current folder: `cogs` is the
    same everywhere, `./cogs` is what lies here.
    """
    shipped = shipped_models()
    if name_or_path in shipped:
        return shipped[name_or_path]
    path = Path(name_or_path)
    for candidate in (path, path / MODEL_FILE, path / "model-best" / MODEL_FILE):
        if candidate.is_file():
            return candidate
    if path.exists():
        raise DataError(f"{name_or_path}: holds no {MODEL_FILE}")
    if os.path.dirname(name_or_path):
        raise UsageError(f"{name_or_path}: no such file or folder")
    raise UsageError(f"unknown model {name_or_path!r}{did_you_mean(name_or_path, shipped)}")
