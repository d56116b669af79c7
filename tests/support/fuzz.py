"""Random and mutated sentences, and what must hold of the answer to any text whatever.

`LEAR_FUZZ=100000 pytest tests/test_bad_input.py` looks at so many for each model.
"""

import os
import random
from collections.abc import Callable, Iterator, Sequence

from lear.answering.parse import Parse
from lear.parser import Parser
from tests.support.shipped import SENTENCES

FEW = 300
ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz",
    "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "אבגדהוזחטיכלמנסעפצקרשת",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "日本語中文字漢한국어",
    "ÀÉÎÕÜßøåæœçñİıſǆ",
    "0123456789²³½",
)
MARKS = ".,;:!?'\"-_&+/()[]{}<>*#@%$^~`|\\=…«»" + "\u2014\u2013\u201e\u201c\u201d\u2019\u00b4"
CONTROLS = "".join(map(chr, (*range(0x20), 0x7F, *range(0x80, 0xA0), 0xAD, 0x2028, 0x2029)))
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u202a\u202e\u2066\u0301\u0338\ufe0f\u00a0\u3000"
EMOJI = "😀🍰🏔️👩‍🚀🇺🇸❤️🤷🏽‍♂️"
LONG = (
    " ".join(["texas"] * 10_000),
    " ".join(["Emma"] * 201),
    "x" * 1_000_000,
    "é" * 20_001,
    "?" * 30_000,
    "(" * 19_999,
)


def num_sentences() -> int:
    """How many sentences to look at for each model."""
    return int(os.environ.get("LEAR_FUZZ", FEW))


class SentenceMaker:
    """Makes sentences of the words of a model, and of others."""

    def __init__(
        self, name: str, parser: Parser, seed: int, sentences: Sequence[str] | None = None
    ) -> None:
        """Sentences for a model.

        Args:
            name: Of the model.
            parser: Knows its words.
            seed: With the name, decides what is made.
            sentences: To be changed; by default our own for a model that ships.
        """
        self.rng = random.Random(f"{name} {seed}")
        self.sentences = SENTENCES[name] if sentences is None else sentences
        lexicon = parser.model.lexicon
        self.words = sorted({word for unit in lexicon.units for word in unit})
        self.function_words = sorted(lexicon.function_words)

    def make(self, number: int) -> Iterator[str]:
        """So many sentences."""
        kinds: tuple[Callable[[], str], ...] = (
            self.known_words,
            self.known_words,
            self.changed_words,
            self.changed_letters,
            self.changed_letters,
            self.other_words,
            self.long_words,
            self.noise,
        )
        for _ in range(number):
            yield self.rng.choice(kinds)()

    def known_words(self) -> str:
        """Words of the language in any order."""
        words = (self.words, self.function_words)
        size = self.rng.randint(0, 14)
        return " ".join(self.rng.choice(self.rng.choice(words)) for _ in range(size))

    def changed_words(self) -> str:
        """A sentence with words that are exchanged, repeated, left out or put in."""
        words = self.rng.choice(self.sentences).split()
        for _ in range(self.rng.randint(1, 4)):
            place = self.rng.randrange(len(words) + 1)
            words[place:place] = self.rng.choice(
                ([self.rng.choice(self.words)], words[:2], [self.rng.choice(self.function_words)])
            )
            del words[self.rng.randrange(len(words))]
            if self.rng.random() < 0.3:
                self.rng.shuffle(words)
        return " ".join(words)

    def changed_letters(self) -> str:
        """A sentence with characters that are exchanged, repeated, left out or put in."""
        letters = list(self.rng.choice(self.sentences))
        for _ in range(self.rng.randint(1, 6)):
            place = self.rng.randrange(len(letters) + 1)
            letters[place:place] = self.character()
            del letters[self.rng.randrange(len(letters))]
        return "".join(letters)

    def other_words(self) -> str:
        """Words of other alphabets."""
        alphabet = self.rng.choice(ALPHABETS)
        words = (
            "".join(self.rng.choices(alphabet, k=self.rng.randint(1, 12)))
            for _ in range(self.rng.randint(1, 10))
        )
        return self.rng.choice((" ", "  ", ", ", "\t", "\n")).join(words)

    def long_words(self) -> str:
        """A sentence with words longer than any language has, no two of them the same."""
        begin = "".join(self.rng.choices(self.rng.choice(ALPHABETS), k=12))
        words = (begin[n:] * self.rng.randint(5, 200) for n in range(self.rng.randint(1, 3)))
        return " ".join((self.rng.choice(self.sentences), *words))

    def noise(self) -> str:
        """Any characters, or marks only."""
        size = self.rng.randint(0, 40)
        if self.rng.random() < 0.3:
            return "".join(self.rng.choices(MARKS + " ", k=size))
        return "".join(self.character() for _ in range(size))

    def character(self) -> str:
        """Any character, rare ones often."""
        group = self.rng.choice((*ALPHABETS, MARKS, CONTROLS, INVISIBLE, EMOJI, " ", ""))
        if group:
            return self.rng.choice(group)
        code = self.rng.randrange(0x110000 - 0x800)
        return chr(code if code < 0xD800 else code + 0x800)  # no halves of surrogate pairs


def check_answer(text: str, parse: Parse) -> None:
    """What holds of every answer."""
    check_words_of_answer(text, parse)
    if parse.form is not None:
        assert parse.probability is None or 0 <= parse.probability <= 1
    parse.to_json()


def check_words_of_answer(text: str, parse: Parse) -> None:
    """What holds of every answer, without its probability, which takes longer than the answer."""
    assert parse.text == text
    lines = [*parse.notes, parse.reason]
    assert all(line.isprintable() for line in lines), lines
    assert (parse.form is None) == bool(parse.reason)
    assert parse.reason != "no derivation"
    if parse.form is None:
        assert (parse.derivation, parse.probability, parse.nbest) == (None, None, ())
        assert (str(parse), parse.to_svg()) == (f"no answer: {parse.reason}", "")
    else:
        assert parse.derivation is not None
        assert parse.derivation.end <= len(parse.tokens)
        assert set(parse.overlooked) <= set(parse.tokens)
    assert all(before != after for before, after in (*parse.repaired, *parse.guessed))
