"""Ways to damage bytes and to change JSON, drawn at random."""

import random
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
