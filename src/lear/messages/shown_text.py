"""Text from outside as it may be shown: names of files can hold anything."""

import re

_HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair; so Python has bytes of names of files that are not UTF-8."""
_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF


def as_utf8(text: str) -> str:
    r"""Text that can be written: bytes that are not UTF-8 are shown as `\xff`."""
    return _HALF.sub(_shown_half, text)


def as_one_line(text: str) -> str:
    r"""Text that a terminal prints as it is: no line ends (`\n`), no escape sequences (`\x1b`)."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in as_utf8(text))


def _shown_half(match: re.Match[str]) -> str:
    code = ord(match[0])
    is_byte = _FIRST_BYTE <= code <= _LAST_BYTE
    return f"\\x{code - _FIRST_BYTE + 0x80:02x}" if is_byte else f"\\u{code:04x}"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
