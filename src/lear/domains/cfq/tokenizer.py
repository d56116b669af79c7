"""Questions as tokens: words, and the few pairs of marks that are one word to a grammar."""

import re

# The last is a comma by itself; with its `and` it is the last link of a list of three or more.
_MARKS = re.compile(r"\s*['\u2019]\s*s\b|\s*,\s*and\b|\s*,")


def tokenize(text: str) -> tuple[str, ...]:
    """Tokens of a question, whether its marks stand apart (`M0 ' s editor`) or not."""

    def apart(match: re.Match[str]) -> str:
        mark = "".join(match[0].split()).replace("\u2019", "'")
        return f" {mark} "

    words = _MARKS.sub(apart, text.rstrip(" ?.\n")).split()
    return tuple("a" if word == "an" else word for word in words)  # CFQ writes "a actor"


def num_words(text: str) -> int:
    """The length of a question as CFQ's preprocessing counts it, every mark by itself."""
    return len(re.findall(r"[^\W_]+|[^\w\s]|_", text))
