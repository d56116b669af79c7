"""Sentences as tokens: no punctuation, no case but that of names, `'s` as a token of its own."""

from lear.core.plain_text import is_shouted, lower, plain, words_and_marks


def tokenize(text: str) -> tuple[str, ...]:
    """`The girl sees Tom's sister.` -> the girl sees Tom 's sister."""
    sentence = plain(text).replace("-", " ")
    words = words_and_marks(lower(sentence) if is_shouted(sentence) else sentence)
    return tuple("the" if word == "The" else word for word in words)
