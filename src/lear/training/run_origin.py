"""What a run began with, settings, data and machine; and what has changed when it goes on."""

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import torch

from lear.errors import DataError
from lear.messages.notes import note
from lear.storage.atomic_file import write_whole
from lear.storage.json_file import encode_json, read_json
from lear.training.checkpoint import settings_of
from lear.training.run_config import RunConfig, to_toml
from lear.training.run_folder import RunFolder
from lear.version import __version__

NOT_SET = "not set"
ROUNDING = ("lear", "torch", "cpu")
"""What of a machine decides the last digits of sums, beside the number of threads, a setting."""
RESUMED = "resumed"
"""In what is noted of a run: when it went on with something changed, and what."""


def note_origin(folder: RunFolder, config: RunConfig, environment: dict[str, Any]) -> None:
    """Write what a run begins with; its settings last, as they say that there is a run."""
    write_whole(folder.environment, encode_json(_machine(config) | environment))
    write_whole(folder.config, to_toml(config).encode())


def changes_since(
    folder: RunFolder, config: RunConfig, environment: dict[str, Any], *, may_change: bool
) -> list[str]:
    """What has changed since a run began, in words; raise `DataError` for what may not.

    Args:
        folder: Of the run, which goes on.
        config: Its settings now.
        environment: Where its rows come from now.
        may_change: Whether settings may.
    """
    before = read_json(folder.environment, dict[str, Any], "what a run notes of its origin")
    if before.get("rows") != environment.get("rows"):
        raise DataError(f"{folder.root}: its data has changed since the run began")
    now = _machine(config)
    if folder.begins_anew():  # nothing was learned with the old ones
        write_whole(folder.environment, encode_json(now | environment))
        return []
    changes = setting_changes(settings_of(folder.checkpoint), config)
    if changes and not may_change:
        raise DataError(
            f"{folder.config}: changed since the run began: {'; '.join(changes)} "
            "(--allow-changes goes on with it)"
        )
    last = {**before, **_last(before)}
    others = {key: (last.get(key), now[key]) for key in ROUNDING}
    told = [
        f"{key} was {old}, is {new}" for key, (old, new) in others.items() if old not in (None, new)
    ]
    if told:
        note(
            f"{'; '.join(told)}: weights may differ in their last digits from those of a run that "
            "was not broken off"
        )
    return changes + told


def note_changes(folder: RunFolder, config: RunConfig, changes: Sequence[str]) -> None:
    """Add to what is noted of a run that it has gone on with something changed."""
    if changes:
        before = read_json(folder.environment, dict[str, Any], "what a run notes of its origin")
        again = [*_resumed(before), {**_machine(config), "changes": list(changes)}]
        write_whole(folder.environment, encode_json({**before, RESUMED: again}))


def setting_changes(before: dict[str, Any], config: RunConfig) -> list[str]:
    """What differs from settings of before, each in a few words."""
    now = msgspec.json.decode(msgspec.json.encode(config))
    differences = _differences(before, now)
    return [f"{key} was {_shown(o)}, is {_shown(n)}" for key, (o, n) in differences.items()]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _differences(before: Any, now: Any, key: str = "") -> dict[str, tuple[Any, Any]]:
    """Dotted keys of settings -> what they were and are, where that is not the same."""
    if before == now:
        return {}
    found: dict[str, tuple[Any, Any]] = {}
    if isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            found[f"the length of {key}"] = len(before), len(now)
        for place, (old, new) in enumerate(zip(before, now, strict=False)):
            found |= _differences(old, new, f"{key}[{place}]")
        return found
    if not (isinstance(before, dict) and isinstance(now, dict)):
        return {key: (before, now)}
    for name in {**before, **now}:
        inner = f"{key}.{name}" if key else name
        found |= _differences(before.get(name, NOT_SET), now.get(name, NOT_SET), inner)
    return found


def _resumed(environment: dict[str, Any]) -> list[dict[str, Any]]:
    """When a run went on with something changed, as far as that was noted."""
    noted = environment.get(RESUMED)
    return [entry for entry in noted if isinstance(entry, dict)] if isinstance(noted, list) else []


def _last(environment: dict[str, Any]) -> dict[str, Any]:
    return (_resumed(environment) or [{}])[-1]


def _machine(config: RunConfig) -> dict[str, Any]:
    """Date, versions and machine, with what decides the last digits of sums: threads and CPU."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "lear": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "platform": platform.platform(),
        "threads": config.threads,
        "cpu": torch.backends.cpu.get_cpu_capability(),
    }
