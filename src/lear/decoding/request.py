"""A sentence on its way to an answer."""

import math
from typing import Any, NamedTuple

from lear.core.lexicon import OVERLOOKED, Lexicon
from lear.decoding.limits import Limits
from lear.decoding.parse import Parse, RefusedSpan
from lear.decoding.refusal import second_sentence_reason
from lear.decoding.word_check import WordCheck, WordMark, check_words
from lear.errors import UsageError
from lear.grammar.sentence_reader import SentenceReader
from lear.grammar.sentence_reading import Reading
from lear.model.calibration import TraitCounts
from lear.search.skeleton_derivation import Program

Sentence = str | tuple[str, ...]
"""Text, or the tokens of it."""
MAX_SCARCE = 2
"""A meaning of a word that no more training rows speak for is a scarce one."""


class Request(NamedTuple):
    """What was asked, and how its words are read."""

    text: str
    words: WordCheck
    reading: Reading
    refusal: str = ""
    """Why its words were not even looked at; empty if they were."""

    def answer_fields(self) -> dict[str, Any]:
        """What every answer to it says."""
        words = self.words
        return {
            "text": self.text,
            "tokens": words.tokens,
            "repaired": words.repaired,
            "guessed": words.guessed,
            "word_marks": words.marks,
        }

    def no_answer(self, reason: str, refused: tuple[RefusedSpan, ...] = ()) -> Parse:
        """That there is none, why, and where that lies; unknown words are always told."""
        unknown = set(self.words.unknown)
        places = tuple(
            RefusedSpan(position, position + 1, "unknown")
            for position, token in enumerate(self.words.tokens)
            if token in unknown
        )
        return Parse(
            form=None,
            meaning=None,
            score=-math.inf,
            reason=reason,
            refused=(*places, *refused),
            **self.answer_fields(),
        )

    def overlooked(self, program: Program) -> tuple[WordMark, ...]:
        """The words that an answer leaves out, though they are no function words."""
        used = _used_positions(program)
        words, unknown = self.reading.skeleton.words, set(self.words.unknown)
        return tuple(
            WordMark(position, position + 1, "overlooked", token)
            for position, token in enumerate(self.words.tokens)
            if position not in used and (words[position] in (None, OVERLOOKED) or token in unknown)
        )

    def unused(self, program: Program, lexicon: Lexicon) -> tuple[WordMark, ...]:
        """Words that an answer takes for function words, though they mostly mean something.

        Not all are told: see `AnswerWeigher.left_out`.
        """
        used = _used_positions(program)
        if used.issuperset([leaf.begin for leaf in self.reading.skeleton.leaves]):
            return ()
        units = dict.fromkeys((leaf.begin, leaf.end) for leaf in self.reading.skeleton.leaves)
        found = []
        for begin, end in units:
            unit = self.words.tokens[begin:end]
            is_word = self.reading.skeleton.words[begin] is not None
            if begin not in used and is_word:
                count = sum(entry.count for entry in lexicon.units.get(unit, ()))
                if count > lexicon.function_words.get(unit[0], 0):
                    found.append(WordMark(begin, end, "unused", " ".join(unit)))
        return tuple(found)

    def traits(self, program: Program, lexicon: Lexicon, num_novel: int) -> TraitCounts:
        """What makes an answer less sure than its derivations say.

        Args:
            program: Of the answer.
            lexicon: Of the model.
            num_novel: How many of its rules no training derivation uses.
        """
        return {
            "guessed": self.words.num_guessed,
            "overlooked": len(self.overlooked(program)),
            "unused": len(self.unused(program, lexicon)),
            "scarce": self._num_scarce(program, lexicon),
            "novel": num_novel,
        }

    def _num_scarce(self, program: Program, lexicon: Lexicon) -> int:
        """How many words an answer reads in a way that hardly any training row has."""
        reading = self.reading
        leaves = (at for at in program.instructions if at.arity == 0)
        num_scarce = 0
        for at in leaves:
            primitive = reading.primitive(at.label)
            entries = lexicon.units.get(self.words.tokens[at.begin : at.end], ())
            counts = [entry.count for entry in entries if entry.primitive == primitive]
            is_name = reading.alike(primitive) != primitive  # listed, whether seen or not
            num_scarce += bool(counts) and not is_name and max(counts) <= MAX_SCARCE
        return num_scarce


def _used_positions(program: Program) -> set[int]:
    leaves = (at for at in program.instructions if at.arity == 0)
    return {position for at in leaves for position in range(at.begin, at.end)}


def check_sentence(sentence: object) -> None:
    """Raise `UsageError` unless a value is text, or a tuple of tokens."""
    is_tokens = isinstance(sentence, tuple) and {str}.issuperset(map(type, sentence))
    if not (isinstance(sentence, str) or is_tokens):
        raise UsageError(f"a sentence is text or a tuple of tokens, not {type(sentence).__name__}")


def request_of(sentence: Sentence, reader: SentenceReader, limits: Limits) -> Request:
    """A sentence with its words looked up, if it is not too long for that."""
    check_sentence(sentence)
    is_text = isinstance(sentence, str)
    given = tuple(map(_writable, (sentence,) if isinstance(sentence, str) else sentence))
    text = " ".join(given)
    unread = Request(text, WordCheck(()), reader.read(()))
    if excess := limits.too_many_characters(text):
        return unread._replace(refusal=excess)
    if is_text and (rest := reader.domain.words.second_sentence(text, reader.lexicon)):
        return unread._replace(refusal=second_sentence_reason(rest))
    tokens = reader.domain.words.tokenize(text) if is_text else given
    if excess := limits.too_many_tokens(tokens):
        return unread._replace(refusal=excess)
    # Tokens are taken as they are; what people type may be misspelt.
    words = check_words(reader, tokens, is_typed=is_text)
    return Request(text, words, reader.read(words.tokens))


def _writable(text: str) -> str:
    """Text without halves of surrogate pairs: these could be parsed, but never be written."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
