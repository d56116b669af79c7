"""Text as it may come from anywhere: any characters, and pieces that tokenizers look at."""

from hypothesis import strategies as st

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
"""All code points, halves of surrogate pairs among them."""

_WORDS = (
    "what", "What", "who", "do", "can", "dont", "whats", "cant", "and", "an", "The", "A", "tv",
    "M0", "m1", "mt", "ft", "worth", "saint", "no", "of", "scott", "valley", "winston", "salem",
    "n", "dakota", "u", "s", "S", "t", "d", "re", "ve", "nt", "1", "000",
)  # fmt: skip
_MARKS = (*" \t\n.,;:!?'\"-_&+/()*", " ", "'", "'s", "n't", "' s")
_RARE = tuple(
    "\u2019\u00b4\u2014\u2026\u00a0\u200b\u200d\u202e\u0301\u0327\u0338\u00e9\u00df\u0130\u0131\u03a3"
    "\u01c6\u00b2\u2122\u2260\u05d0\u0627\U0001f370\ufe0f\ud800\x00\x1b"
)
TYPED_TEXT = st.lists(st.sampled_from(_WORDS + _MARKS + _RARE), max_size=20).map("".join)
"""Words, marks and rare characters, with and without spaces between them."""
