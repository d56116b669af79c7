"""The parser that users hold: text in, form and derivation out."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from lear.decoding.answer_maker import AnswerMaker, Belief
from lear.decoding.chart_decoder import MAX_REMEMBERED, ChartDecoder
from lear.decoding.parse import Parse as Parse
from lear.decoding.refusal import unknown_word_reason
from lear.decoding.request import Request
from lear.decoding.word_check import WordCheck, check_words
from lear.domain.domain import Domain
from lear.domains.registry import find_domain
from lear.errors import DataError, UsageError
from lear.grammar.rules import Rule
from lear.grammar.sentence_reader import SentenceReader
from lear.grammar.sentence_reading import Reading
from lear.model.calibration import Calibration
from lear.model.model_file import Model, load_model, save_model
from lear.search.program_rules import rules_of_program
from lear.search.skeleton_derivation import Decoded
from lear.storage.model_files import MODEL_FILE, find_model

if TYPE_CHECKING:
    from lear.decoding.greedy_decoder import GreedyDecoder

MAX_UNFIT = 0.1
"""The share of a model's rules that its domain may have no use for."""
BATCH = 256
"""How many sentences `pipe` parses at once."""
RULES_PER_SKELETON = 2
MAX_TOKENS = 500
MAX_CHARACTERS = 20_000
"""Longer sentences are refused before any work is done on them."""
UnknownWords = Literal["refuse", "overlook"]
UNKNOWN_WORDS: tuple[UnknownWords, ...] = get_args(UnknownWords)
Sentence = str | tuple[str, ...]
"""Text, or the tokens of it."""


class Parser:
    """A trained model at work. `parser(text)` parses one sentence, `parser.pipe` many.

    >>> import lear
    >>> parser = lear.Parser.from_pretrained("geo")
    >>> parser("What's the capital of Texas?").form
    "answer(capital(loc_2(stateid('texas'))))"
    >>> parser("What is the capital of France?").reason
    "unknown word 'france'"
    """

    def __init__(
        self,
        model: Model,
        *,
        unknown_words: UnknownWords = "refuse",
        min_probability: float = 0.0,
        skip_steps: Sequence[str] = (),
        max_remembered: int = MAX_REMEMBERED,
    ) -> None:
        """A parser with one policy for all that it is asked.

        Args:
            model: What to parse with.
            unknown_words: `refuse` a sentence with a word that nothing can be made of, or one that
                leaves a word without use; or `overlook` such words and say so.
            min_probability: Give no answer that is less likely than this.
            skip_steps: Finishing steps of the domain to leave out.
            max_remembered: What makes it faster, it remembers up to this bound: derivations of so
                many skeletons, and twice as many rules. So memory does not grow with its age.
        """
        if unknown_words not in UNKNOWN_WORDS:
            raise UsageError(f"unknown_words is 'refuse' or 'overlook', not {unknown_words!r}")
        if not 0 <= min_probability <= 1:
            raise UsageError(f"min_probability is from 0 to 1, not {min_probability!r}")
        check_count("max_remembered", max_remembered)
        self.model = model
        self.max_remembered = max_remembered
        self.domain = _domain_of(model)
        if model.header.vocabulary.operations != tuple(self.domain.language.algebra.by_name):
            raise DataError(
                f"the model was trained with other operations than domain {self.domain.name!r} has "
                "now; train it anew"
            )
        self._begin(unknown_words, min_probability, tuple(skip_steps))

    def _begin(
        self, unknown_words: UnknownWords, min_probability: float, skip_steps: tuple[str, ...]
    ) -> None:
        """Begin with nothing remembered."""
        may_be_nothing = self.model.header.config.nothing == "interpreter"
        lexicon = self.model.lexicon
        self.reader = SentenceReader(self.domain, lexicon, may_be_nothing=may_be_nothing)
        self.unknown_words = unknown_words
        self.decoder = self._decoder()
        self._maker = AnswerMaker(
            self.reader,
            self.decoder,
            self.calibration,
            frozenset(self.model.header.rules),
            min_probability,
            skip_steps,
        )

    def _forget(self) -> None:
        """Begin anew if too much is remembered; answers are the same."""
        if (
            isinstance(self.decoder, ChartDecoder)
            and self.decoder.num_rules > RULES_PER_SKELETON * self.max_remembered
        ):
            self._begin(self.unknown_words, self.min_probability, self.skip_steps)

    def _decoder(self) -> "ChartDecoder | GreedyDecoder":
        header, forward = self.model.header, self.model.forward
        categories = self.reader.categories.restricted(
            header.attested, by_types=header.config.legality != "any"
        )
        try:
            leaves = self.reader.leaf_categories()
        except LookupError as error:
            reason = f"its lexicon does not fit domain {self.domain.name!r}: {error}"
            raise DataError(f"not a model to be used: {reason}") from None
        if header.decoding == "greedy":
            from lear.decoding.greedy_decoder import GreedyDecoder  # only some models need it

            return GreedyDecoder(forward, self.reader, categories)
        return ChartDecoder(
            forward, categories, header.rules, leaves, max_remembered=self.max_remembered
        )

    @property
    def unknown_words(self) -> UnknownWords:
        """What becomes of sentences with unknown words."""
        return self._unknown_words

    @unknown_words.setter
    def unknown_words(self, policy: UnknownWords) -> None:
        self._unknown_words = policy
        # Who would rather have no answer than a wrong one wants no wild guesses either.
        self.reader.guesses = policy == "overlook"

    @property
    def min_probability(self) -> float:
        """Answers that are less likely are not given."""
        return self._maker.min_probability

    @property
    def skip_steps(self) -> tuple[str, ...]:
        """Finishing steps that are left out."""
        return self._maker.skip_steps

    @skip_steps.setter
    def skip_steps(self, steps: Sequence[str]) -> None:
        self._maker.skip_steps = tuple(steps)

    @property
    def calibration(self) -> Calibration:
        """How scores become probabilities."""
        return self.model.header.calibration

    @classmethod
    def from_pretrained(cls, name_or_path: str | Path, **settings: Any) -> "Parser":
        """A shipped model by name, or a run's folder, a model's folder or a model file.

        Args:
            name_or_path: Which one.
            **settings: As for `Parser`: `unknown_words`, `min_probability`, `skip_steps`,
                `max_remembered`.
        """
        path = find_model(str(name_or_path))
        parser = cls(load_model(path), **settings)
        if isinstance(parser.decoder, ChartDecoder):
            num_rules = len(parser.model.header.rules)
            num_unfit = parser.decoder.num_unfit
            # A rarely used rule may be cut off from the others; many are in another grammar only.
            if num_unfit > MAX_UNFIT * num_rules:
                raise DataError(
                    f"{path}: {num_unfit} of its {num_rules} rules do not fit domain "
                    f"{parser.domain.name!r} as it is now; train it anew"
                )
        return parser

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the model into a folder."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        save_model(Path(folder) / MODEL_FILE, self.model)

    def __call__(self, text: str, nbest: int = 1) -> Parse:
        """Parse one sentence; with `nbest`, look for so many different answers."""
        if not isinstance(text, str):
            raise UsageError(f"a sentence is text, not {type(text).__name__}")
        return self.parse_batch([text], nbest)[0]

    def parse(self, tokens: Sequence[str], nbest: int = 1) -> Parse:
        """Parse a sentence that is cut into tokens already."""
        if isinstance(tokens, str):
            raise UsageError("parse takes tokens; a text is parsed by parser(text)")
        return self.parse_batch([tuple(tokens)], nbest)[0]

    def pipe(
        self, texts: Iterable[str], nbest: int = 1, *, batch_size: int = BATCH, jobs: int = 1
    ) -> Iterator[Parse]:
        """Parse many sentences, in order, some at a time.

        Args:
            texts: The sentences; what comes of one does not depend on the others.
            nbest: How many different answers to look for.
            batch_size: How many sentences are taken from `texts` at a time.
            jobs: How many processes parse; with more than one, answers are made whole first.
        """
        if isinstance(texts, str) or not isinstance(texts, Iterable):
            raise UsageError("pipe takes many sentences; one text is parsed by parser(text)")
        for name, value in (("nbest", nbest), ("batch_size", batch_size), ("jobs", jobs)):
            check_count(name, value)
        return self._piped(iter(texts), nbest, batch_size, jobs)

    def _piped(
        self, texts: Iterator[str], nbest: int, batch_size: int, jobs: int
    ) -> Iterator[Parse]:
        if jobs == 1:
            while batch := list(islice(texts, batch_size)):
                yield from self.parse_batch(batch, nbest)
            return
        from lear.decoding.parallel_parsing import parse_in_processes  # slow to load

        yield from parse_in_processes(self, texts, nbest, batch_size, jobs)

    def parse_batch(self, sentences: Sequence[Sentence], nbest: int = 1) -> list[Parse]:
        """Parse several sentences at once, texts or tokens, which is faster than one by one.

        Without an answer, `form` is None and `reason` says why.
        """
        check_count("nbest", nbest)
        if isinstance(sentences, str):
            raise UsageError("parse_batch takes several sentences; one is parsed by parser(text)")
        self._forget()
        requests = [self._request(sentence) for sentence in sentences]
        open_requests = [request for request in requests if self._refusal(request) is None]
        decoded = iter(self._decode([request.reading for request in open_requests]))
        answers = []
        for request in requests:
            reason = self._refusal(request)
            if reason is not None:
                answers.append(request.no_answer(reason))
            else:
                answers.append(self._maker.answer(request, next(decoded), nbest))
        return answers

    def _request(self, sentence: Sentence) -> Request:
        check_sentence(sentence)
        text = sentence if isinstance(sentence, str) else " ".join(sentence)
        # Half a surrogate pair is no character: it could be parsed, but never be written.
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode()
        if len(text) > MAX_CHARACTERS:
            return self._too_long(text, f"{len(text):,} characters, more than {MAX_CHARACTERS:,}")
        is_text = isinstance(sentence, str)
        tokens = self.domain.words.tokenize(text) if is_text else tuple(sentence)
        if len(tokens) > MAX_TOKENS:
            return self._too_long(text, f"{len(tokens):,} tokens, more than {MAX_TOKENS:,}")
        # Tokens are taken as they are; what people type may be misspelt.
        words = check_words(self.reader, tokens, is_typed=is_text)
        return Request(text, words, self.reader.read(words.tokens))

    def _too_long(self, text: str, size: str) -> Request:
        nothing = WordCheck(())
        return Request(text, nothing, self.reader.read(()), f"the sentence has {size}")

    def _refusal(self, request: Request) -> str | None:
        """Why a sentence is not even searched; None if it is."""
        if request.refusal or not request.words.tokens:
            return request.refusal or "the sentence is empty"
        if request.words.unknown and self.unknown_words == "refuse":
            return unknown_word_reason(self.reader, request.words.unknown)
        return None

    def belief(self, tokens: Sequence[str]) -> Belief | None:
        """The answer to a sentence with all that calibration needs; None if there is none."""
        request = self._request(tuple(tokens))
        if self._refusal(request) is not None:
            return None
        (decoded,) = self._decode([request.reading])
        return self._maker.belief(request, decoded)

    def parse_with_rules(self, tokens: Sequence[str]) -> tuple[Parse, list[Rule]]:
        """The answer to a sentence, and the rules of its derivation; none without an answer."""
        request = self._request(tuple(tokens))
        if self._refusal(request) is not None:
            return self.parse(tokens), []
        (decoded,) = self._decode([request.reading])
        parse = self._maker.answer(request, decoded, 1)
        if decoded.program is None:
            return parse, []
        return parse, rules_of_program(decoded.program, request.reading, self.domain)

    def _decode(self, readings: Sequence[Reading]) -> list[Decoded]:
        if not readings:
            return []
        if not isinstance(self.decoder, ChartDecoder):
            return self.decoder.best_of_each(readings)
        return self.decoder.best_of_each(readings, overlook=self.unknown_words == "overlook")

    def __repr__(self) -> str:
        header = self.model.header
        return f"<lear.Parser of {header.domain}, {header.decoding}, {self.unknown_words}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle: the model and the settings; what was remembered is not kept."""
        settings: dict[str, Any] = {
            "unknown_words": self.unknown_words,
            "min_probability": self.min_probability,
            "skip_steps": self.skip_steps,
            "max_remembered": self.max_remembered,
        }
        return partial(Parser, **settings), (self.model,)


def _domain_of(model: Model) -> Domain:
    """The domain that a model says it is of; a file may say anything."""
    try:
        return find_domain(model.header.domain).with_algebra(model.header.config.algebra)
    except UsageError as error:
        raise DataError(f"not a model to be used here: {error}") from None


def check_sentence(sentence: object) -> None:
    """Raise `UsageError` unless a value is text, or a tuple of tokens."""
    is_tokens = isinstance(sentence, tuple) and {str}.issuperset(map(type, sentence))
    if not (isinstance(sentence, str) or is_tokens):
        raise UsageError(f"a sentence is text or a tuple of tokens, not {type(sentence).__name__}")


def check_count(name: str, value: object) -> None:
    """Raise `UsageError` unless a value is a whole number from 1 on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise UsageError(f"{name} is a whole number from 1 on, not {value!r}")
