"""Questions as tokens: words, commas, and the units `'s` and `,and`."""

import re

# `,and` comes before the last item of a list; other commas are tokens of their own.
_MARKS = re.compile(r"\s*['\u2019]\s*s\b|\s*,\s*and\b|\s*,")


def tokenize(text: str) -> tuple[str, ...]:
    """The tokens of a question, with or without spaces around its marks (`M0 ' s editor`)."""

    def apart(match: re.Match[str]) -> str:
        mark = "".join(match[0].split()).replace("\u2019", "'")
        return f" {mark} "

    words = _MARKS.sub(apart, text.rstrip(" ?.\n")).split()
    return tuple("a" if word == "an" else word for word in words)  # CFQ writes "a actor"


def num_words(text: str) -> int:
    """The length of a question as CFQ's preprocessing counts it: every mark is a word."""
    return len(re.findall(r"[^\W_]+|[^\w\s]|_", text))
