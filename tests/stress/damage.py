"""Ways to damage bytes and to change JSON, drawn at random."""

import copy
import random
from collections.abc import Iterator
from typing import Any

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1, 7, 2**31, 2**63, 10**30, -0.5, 1e308, "", "x", "a b", "\x00", "é"),
    *([], [[]], ["x"], [0, 0], {}, {"x": 1}, "9" * 1_000, "[" * 1_000),
)


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Some bytes with one bit flipped, or with a piece lost, repeated, exchanged or put in."""
    changed = content
    while changed == content:
        begin = rng.randrange(len(content))
        end = min(len(content), begin + rng.choice((1, 4, 64, 4096)))
        piece = content[begin:end]
        kind = rng.randrange(8)
        if kind < 4:  # what disks and cables do most
            flipped = bytes([content[begin] ^ (1 << rng.randrange(8))])
            changed = content[:begin] + flipped + content[begin + 1 :]
        else:
            others = (b"", piece + piece, rng.randbytes(len(piece)), bytes(len(piece)))
            changed = content[:begin] + others[kind - 4] + content[end:]
            if rng.random() < 0.2:
                changed = content[:begin]
    return changed


PLAUSIBLE = (
    *(
        "",
        "[]",
        "(",
        "Nothing",
        "<unknown>",
        "<overlooked>",
        " ",
        "a b",
        "\\",
        "-1",
        "0",
        "x",
        "\n",
    ),
    *("answer", "?x0", "M0", "|", "$", "*", "\u001b[31m"),
)
"""Texts that fields of models have, or nearly."""


def swapped_json(value: Any, rng: random.Random) -> Any:
    """A JSON value with one value inside in the place of another one of its kind, or nearly so."""
    changed = copy.deepcopy(value)
    leaves = list(_leaves(changed))
    if not leaves:
        return changed
    holder, key = rng.choice(leaves)
    old = holder[key]
    kind = rng.randrange(8)
    if kind == 0 and isinstance(holder, list):
        holder.append(old) if rng.random() < 0.5 else holder.pop(key)
    elif kind == 1 and isinstance(holder, dict) and isinstance(old, str):
        holder[old] = holder.pop(key)
    elif isinstance(old, bool):
        holder[key] = not old
    elif isinstance(old, str):
        others = [text for h, k in leaves if isinstance(text := h[k], str) and text != old]
        holder[key] = rng.choice(others if others and rng.random() < 0.6 else PLAUSIBLE)
    elif old is None:
        holder[key] = rng.choice((0, "x", []))
    else:
        holder[key] = rng.choice((0, 1, -1, 2, 5, 100, 10**6, old + 1, old * 2))
    return changed


def _leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where values without parts are: what holds them, and the key or place there."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        if isinstance(value[key], dict | list):
            yield from _leaves(value[key])
        else:
            yield value, key


def changed_json(value: Any, rng: random.Random) -> Any:
    """A JSON value with one odd change somewhere inside."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        kind = rng.randrange(10)
        if kind == 0:
            return {name: inner for name, inner in value.items() if name != key}
        if kind == 1:
            return {**value, rng.choice(("x", "", key + key)): value[key]}
        return {**value, key: changed_json(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        place = rng.randrange(len(value))
        before, after = value[:place], value[place + 1 :]
        kind = rng.randrange(10)
        if kind == 0:
            return before + after
        if kind == 1:
            return [*value, value[place]]
        return [*before, changed_json(value[place], rng), *after]
    return rng.choice(ODD_VALUES)
