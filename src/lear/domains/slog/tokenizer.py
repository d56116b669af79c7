"""Sentences as tokens, in the spelling of SLOG, which is that of COGS with questions.

SLOG also has noun phrases by themselves, which end without a mark. So text that begins with a
determiner gets no full stop: it may be a noun phrase.
"""

from lear.domains.cogs import tokenizer as cogs


def tokenize(text: str) -> tuple[str, ...]:
    """`who slept` -> Who slept ?; `the cake in a box` as it is."""
    tokens = cogs.tokenize(text)
    if len(tokens) < 2:
        return tokens
    if tokens[-1] == "?":
        return (tokens[0].capitalize(), *tokens[1:])
    first, *_, last = cogs.words_and_ends(text)
    if last in cogs.ENDS or tokens[0].lower() not in cogs.DETERMINERS:
        return tokens
    is_capitalised = first[:1].isupper()
    return (tokens[0] if is_capitalised else tokens[0].lower(), *tokens[1:-1])
