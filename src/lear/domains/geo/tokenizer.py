"""Questions as tokens: lower case, no punctuation, `'s` as a token of its own."""

import re

_TOKEN = re.compile(r"'s\b|[^\W_]+(?:[-_][^\W_]+)*")


def tokenize(text: str) -> tuple[str, ...]:
    """`What is the state's capital?` -> what is the state 's capital."""
    return tuple(_TOKEN.findall(text.lower().replace("\u2019", "'")))
