"""Any meaning as text."""

from lear.algebra.algebra import Meaning
from lear.algebra.meanings import MAX_CHARACTERS, meaning_text


class Thing(Meaning, frozen=True):
    name: str
    parts: "tuple[Thing, ...]" = ()
    size: int = 0


def test_fields_that_say_something_are_shown() -> None:
    assert meaning_text(Thing("box")) == "Thing(name=box)"
    box = Thing("box", (Thing("lid", size=2), Thing("key")))
    assert meaning_text(box) == "Thing(name=box, parts=(Thing(name=lid, size=2), Thing(name=key)))"


def test_however_deep_it_is_the_text_is_short() -> None:
    deep = Thing("core")
    for _ in range(10_000):
        deep = Thing("shell", (deep,))
    text = meaning_text(deep)
    assert len(text) == MAX_CHARACTERS
    assert text.endswith("…")
