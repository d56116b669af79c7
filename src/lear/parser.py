"""The parser that users hold: text in, form and derivation out."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from lear.answering.answers import AnswerMaker, Belief
from lear.answering.decoders import ChartDecoder, check_rules, decoder_of_model
from lear.answering.parse import Parse as Parse
from lear.answering.probability import Probabilities
from lear.answering.request import (
    DEFAULT_LIMITS,
    MAX_REMEMBERED,
    Request,
    Sentence,
    check_count,
    no_words_reason,
    request_of,
    unknown_word_reason,
)
from lear.answering.request import Limits as Limits
from lear.domains.registry import FormRunner, domain_of_model, is_from_file
from lear.errors import AlgebraError, DataError, DomainError, FormError, UsageError
from lear.forest.programs import Decoded, rules_of_program
from lear.grammar.reading import Reading, SentenceReader
from lear.grammar.rules import Rule
from lear.grammar.unknown_words import UNKNOWN_WORDS, UnknownWords
from lear.memory import give_memory_back
from lear.messages import did_you_mean
from lear.model.config import Calibration
from lear.model.model_file import Model, is_same_model, load_model, save_model
from lear.storage.datasets import MODEL_FILE, find_model

BATCH = 256
"""How many sentences `pipe` parses at once."""
RULES_PER_SKELETON, RULES_PER_CATEGORY = 2, 10
"""A table has room for each pair of categories, so fewer of these are remembered than of rules."""
SENTENCES_BETWEEN_CLEARANCES = 1000
"""After so many sentences, memory that searches have left free is given back to the system."""


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
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        """A parser with one policy for all that it is asked.

        Args:
            model: What to parse with.
            unknown_words: `refuse` a sentence with a word that nothing can be made of, or with one
                that must not be dropped and fits nowhere; or `overlook` such words and say so.
            min_probability: Give no answer that is less likely than this.
            skip_steps: Finishing steps of the domain to leave out.
            max_remembered: What makes it faster, it remembers up to this bound: derivations of so
                many skeletons, and twice as many rules more than the model has. So memory does not
                grow with its age.
            limits: What one sentence may cost before it is refused.
        """
        if not isinstance(model, Model):
            raise UsageError("a parser is made of a model; by name: Parser.from_pretrained('geo')")
        if not isinstance(limits, Limits):
            raise UsageError(f"limits is a lear.Limits, not {limits!r}")
        check_count("max_remembered", max_remembered)
        self.max_remembered = max_remembered
        self.limits = limits
        header = model.header
        self.domain = domain_of_model(
            header.domain, header.config.algebra, header.about, header.language
        )
        if header.vocabulary.operations != tuple(self.domain.language.algebra.by_name):
            raise DataError(
                f"the model was trained with other operations than domain {self.domain.name!r} has "
                "now; train it anew"
            )
        self.model = model
        self._num_sentences = 0  # since free memory was given back
        self._begin(
            _checked_unknown_words(unknown_words),
            _checked_probability(min_probability),
            self._checked_steps(skip_steps),
        )

    def _begin(
        self, unknown_words: UnknownWords, min_probability: float, skip_steps: tuple[str, ...]
    ) -> None:
        """Begin with nothing remembered."""
        model = self.model
        may_be_nothing = model.header.config.nothing == "interpreter"
        reader = SentenceReader(self.domain, model.lexicon, may_be_nothing=may_be_nothing)
        decoder = decoder_of_model(model, reader, self.limits, self.max_remembered)
        rules = frozenset(model.header.rules)
        probabilities = Probabilities(reader, decoder, self.calibration, rules, skip_steps)
        runner = None if self.domain.execution is None else FormRunner(self.domain.name)
        maker = AnswerMaker(probabilities, min_probability, runner)
        # All at once: who interrupts this has the old ones, which fit together as well.
        self.reader, self.decoder, self._maker = reader, decoder, maker
        self.unknown_words = unknown_words
        self._sizes_at_first = self._sizes()

    def _forget(self) -> None:
        """Begin anew if too much is remembered; answers are the same."""
        pairs = zip(self._sizes(), self._sizes_at_first, strict=True)
        max_new = RULES_PER_SKELETON * self.max_remembered
        if any(now - at_first > max_new for now, at_first in pairs):
            self._begin(self.unknown_words, self.min_probability, self.skip_steps)
            give_memory_back()

    def _give_memory_back(self, num_sentences: int) -> None:
        """Give free memory back to the system, now and then: it takes a millisecond."""
        self._num_sentences += num_sentences
        if self._num_sentences >= SENTENCES_BETWEEN_CLEARANCES:
            self._num_sentences = 0
            give_memory_back()

    def _sizes(self) -> tuple[int, int]:
        """Count the rules that its decoder knows, and what its categories are worth in rules."""
        if not isinstance(self.decoder, ChartDecoder):  # it has a bound of its own
            return (0, 0)
        num_categories = self.reader.categories.num_categories
        return self.decoder.num_rules, RULES_PER_CATEGORY * num_categories

    @property
    def unknown_words(self) -> UnknownWords:
        """What becomes of sentences with unknown words."""
        return self._unknown_words

    @unknown_words.setter
    def unknown_words(self, policy: UnknownWords) -> None:
        self._unknown_words = _checked_unknown_words(policy)
        # Who would rather have no answer than a wrong one wants no wild guesses either.
        self.reader.guesses = self._unknown_words == "overlook"

    @property
    def min_probability(self) -> float:
        """Answers that are less likely are not given."""
        return self._maker.min_probability

    @min_probability.setter
    def min_probability(self, least: float) -> None:
        self._maker.min_probability = _checked_probability(least)

    @property
    def skip_steps(self) -> tuple[str, ...]:
        """Finishing steps that are left out."""
        return self._maker.probabilities.skip_steps

    @skip_steps.setter
    def skip_steps(self, steps: Sequence[str]) -> None:
        self._maker.probabilities.skip_steps = self._checked_steps(steps)

    def _checked_steps(self, steps: object) -> tuple[str, ...]:
        """Return the names of finishing steps of the domain, else raise `UsageError`."""
        known = self.domain.language.finishing
        if isinstance(steps, str) or not isinstance(steps, Iterable):
            raise UsageError(f"skip_steps is a list of names, not {steps!r}")
        names = tuple(steps)
        if names and not known:
            raise UsageError(f"domain {self.domain.name!r} has no finishing steps")
        for name in names:
            if name not in known:
                raise UsageError(f"unknown finishing step {name!r}{did_you_mean(str(name), known)}")
        return names

    @property
    def calibration(self) -> Calibration:
        """How scores become probabilities."""
        return self.model.header.calibration

    @classmethod
    def from_pretrained(cls, name_or_path: str | Path, **settings: Any) -> "Parser":
        """Return a shipped model by name, or a run's folder, a model's folder or a model file.

        Args:
            name_or_path: Which one.
            **settings: As for `Parser`: `unknown_words`, `min_probability`, `skip_steps`,
                `max_remembered`, `limits`.

        >>> Parser.from_pretrained("cogs", min_probability=0.5)
        <lear.Parser of cogs, chart, refuse>
        """
        model = load_model(path := find_model(str(name_or_path)))
        try:
            parser = cls(model, **settings)
        except (DataError, AlgebraError, FormError, DomainError) as error:
            raise DataError(f"{path}: {error}") from None
        check_rules(path, parser.model, parser.reader)
        return parser

    def save_pretrained(self, folder: str | Path) -> None:
        """Write the model into a folder.

        >>> from tempfile import TemporaryDirectory
        >>> parser = Parser.from_pretrained("cogs")
        >>> with TemporaryDirectory() as folder:
        ...     parser.save_pretrained(folder)
        ...     Parser.from_pretrained(folder) == parser
        True
        """
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
        if not isinstance(tokens, Iterable):
            raise UsageError(f"parse takes tokens, not {type(tokens).__name__}")
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

        >>> parser = Parser.from_pretrained("cogs")
        >>> [parse.form for parse in parser.pipe(["Emma slept.", "Liam ran."])]
        ['sleep . agent ( x _ 1 , Emma )', 'run . agent ( x _ 1 , Liam )']
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
        if is_from_file(self.domain.name):
            raise UsageError(
                f"domain {self.domain.name!r} is in a file, which other processes do not run: "
                "parse with jobs=1"
            )
        from lear.parallel.processes import in_processes  # slow to load

        batches = iter(lambda: list(islice(texts, batch_size)), [])
        make = partial(partial, self.parse_batch, nbest=nbest)  # the same with this `nbest`
        for parses in in_processes(make, batches, jobs):
            yield from parses

    def parse_batch(self, sentences: Iterable[Sentence], nbest: int = 1) -> list[Parse]:
        """Parse several sentences at once, texts or tokens, which is faster than one by one.

        Without an answer, `form` is None and `reason` says why.

        >>> parser = Parser.from_pretrained("cogs")
        >>> tokens = ("Liam", "ran", ".")
        >>> [bool(parse.form) for parse in parser.parse_batch(["Emma slept.", tokens])]
        [True, True]
        """
        check_count("nbest", nbest)
        if isinstance(sentences, str):
            raise UsageError("parse_batch takes several sentences; one is parsed by parser(text)")
        if not isinstance(sentences, Iterable):
            kind = type(sentences).__name__
            raise UsageError(f"parse_batch takes several sentences, not {kind}")
        self._forget()
        requests = [request_of(sentence, self.reader, self.limits) for sentence in sentences]
        reasons = [self._refusal(request) for request in requests]
        searched = [r for r, reason in zip(requests, reasons, strict=True) if reason is None]
        decoded = self._decode([request.reading for request in searched])
        found = iter(self._maker.answers(list(zip(searched, decoded, strict=True)), nbest))
        answers = [
            next(found) if reason is None else request.no_answer(reason)
            for request, reason in zip(requests, reasons, strict=True)
        ]
        self._give_memory_back(len(answers))
        return answers

    def _refusal(self, request: Request) -> str | None:
        """Return why a sentence is not even searched; None if it is."""
        if request.refusal or not request.words.tokens:
            return request.refusal or no_words_reason(request.text)
        words = request.words
        if words.is_all_unknown or (words.unknown and self.unknown_words == "refuse"):
            return unknown_word_reason(self.reader, words.unknown)
        return None

    def belief(self, tokens: Sequence[str]) -> Belief | None:
        """Return an answer with all that calibration needs; None if there is none."""
        request = request_of(tuple(tokens), self.reader, self.limits)
        if self._refusal(request) is not None:
            return None
        (decoded,) = self._decode([request.reading])
        return self._maker.belief(request, decoded)

    def parse_with_rules(self, tokens: Sequence[str]) -> tuple[Parse, list[Rule]]:
        """Return an answer and the rules of its derivation; none without an answer."""
        request = request_of(tuple(tokens), self.reader, self.limits)
        if self._refusal(request) is not None:
            return self.parse(tokens), []
        (decoded,) = self._decode([request.reading])
        (parse,) = self._maker.answers([(request, decoded)], 1)
        if parse.form is None or decoded.program is None:
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

    def __eq__(self, other: object) -> bool:
        """Parsers of one model with the same settings are equal, whatever they remember."""
        if not isinstance(other, Parser):
            return NotImplemented
        return self._settings() == other._settings() and is_same_model(self.model, other.model)

    def __hash__(self) -> int:
        """Settings may change, so they are no part of it."""
        return hash((self.domain.name, self.model.header.rules))

    def _settings(self) -> dict[str, Any]:
        names = ("unknown_words", "min_probability", "skip_steps", "max_remembered", "limits")
        return {name: getattr(self, name) for name in names}

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle: the model and the settings; what was remembered is not kept."""
        return partial(Parser, **self._settings()), (self.model,)


def _checked_unknown_words(policy: object) -> UnknownWords:
    """Return what becomes of sentences with unknown words, else raise `UsageError`."""
    for known in UNKNOWN_WORDS:
        if policy == known:
            return known
    raise UsageError(f"unknown_words is 'refuse' or 'overlook', not {policy!r}")


def _checked_probability(value: object) -> float:
    """Return a number from 0 to 1, else raise `UsageError`."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
        raise UsageError(f"min_probability is from 0 to 1, not {value!r}")
    return float(value)
