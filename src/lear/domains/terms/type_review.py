"""Types as people look them over: what there is in a language, and what looks wrong."""

from collections import Counter

from lear.domains.terms.types import TypeTable

MAX_LISTED = 8
"""Constants of a type that are shown."""
MAX_SHARE, MIN_FUNCTIONS = 0.8, 10
"""Where more than this share of so many functions give one type, types tell little apart."""


def signatures(types: TypeTable) -> list[tuple[str, str]]:
    """What there is in a language: functions with what they take and give, and types."""
    rows = []
    for symbol, entry in types.symbols.items():
        if entry.is_transparent:
            rows.append((symbol, "any type -> the same type"))
            continue
        extras = [f"[{name}] ..." for name in entry.extras]
        rows.append((symbol, f"{', '.join((*entry.places, *extras))} -> {entry.result}"))
    members: dict[str, list[str]] = {}
    for kind, name in types.literals.items():
        members.setdefault(name, []).append(f"{kind}s")
    for constant, name in types.constants.items():
        members.setdefault(name, []).append(constant)
    for name, constants in members.items():
        more = f", ... ({len(constants)})" if len(constants) > MAX_LISTED else ""
        rows.append((f"type {name}", ", ".join(constants[:MAX_LISTED]) + more))
    return rows


def doubts(types: TypeTable) -> list[str]:
    """What looks wrong about types."""
    found = []
    constants = Counter(types.constants.values())
    for kind, name in types.literals.items():
        if constants[name]:
            members = [c for c, type_name in types.constants.items() if type_name == name]
            shown = ", ".join(members[:MAX_LISTED])
            found.append(f"{name}: {kind}s and names stand in the same places ({shown})")
    results = Counter(entry.result for entry in types.symbols.values())
    for name, count in results.items():
        if count >= MIN_FUNCTIONS and count > MAX_SHARE * results.total():
            found.append(f"{name}: {count} of {results.total()} functions give this one type")
    return found
