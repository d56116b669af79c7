"""Short names of what is remembered: 16 bytes in place of a sentence and all that is behind it."""

from hashlib import blake2b

import msgspec

_ENCODER = msgspec.msgpack.Encoder(enc_hook=repr)
"""Domains of one's own may put anything into a primitive."""


def fingerprint(value: object) -> bytes:
    """Equal for equal values of words and numbers, however nested; different for different ones.

    That two of them are the same by chance is less likely than a fault of the machine.
    """
    return blake2b(_ENCODER.encode(value), digest_size=16).digest()
