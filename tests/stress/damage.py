"""Ways to damage bytes and to change JSON, drawn at random."""

import copy
import random
from collections.abc import Iterator
from typing import Any

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1, 7, 2**31, 2**63, 10**30, -0.5, 1e308, "", "x", "a b", "\x00", "é"),
    *([], [[]], ["x"], [0, 0], {}, {"x": 1}, "9" * 1_000, "[" * 1_000, 10**6, 5, "-1", "\n"),
    *("Nothing", "<unknown>", "<overlooked>", "answer", "?x0", "M0", "|", "$", "*", "\u001b[31m"),
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
    """A JSON value with one change somewhere inside, which may be hard to see."""
    changed = copy.deepcopy(value)
    places = list(_places(changed))
    if not places:
        return rng.choice(ODD_VALUES)
    holder, key = rng.choice(places)
    old = holder[key]
    kind = rng.randrange(8)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, list):
        holder.append(old)
    elif kind == 1:
        holder[rng.choice(("x", "", key + key))] = holder.pop(key)
    elif kind < 5:  # a value that another field has
        alike = [h[k] for h, k in places if type(h[k]) is type(old) and h[k] != old]
        holder[key] = copy.deepcopy(rng.choice(alike or ODD_VALUES))
    else:
        holder[key] = copy.deepcopy(rng.choice(ODD_VALUES))
    return changed


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where values are inside of one: what holds each, and the key or place there."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])
