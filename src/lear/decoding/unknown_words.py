"""What may become of sentences with words that nothing can be made of."""

from typing import Literal, get_args

UnknownWords = Literal["refuse", "overlook"]
UNKNOWN_WORDS: tuple[UnknownWords, ...] = get_args(UnknownWords)
