"""The parser that users hold: text in, form and derivation out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from lear.core.algebra import Meaning, MeaningTable
from lear.core.derivation import Derivation, to_json
from lear.decoding.chart_decoder import ChartDecoder
from lear.decoding.greedy_decoder import GreedyDecoder
from lear.decoding.model_file import FILE_NAME, Model, load_model, save_model
from lear.domain.domain import Execute
from lear.domains.registry import find_domain
from lear.errors import DataError, SearchLimitError, UsageError
from lear.grammar.sentence_reader import SentenceReader
from lear.grammar.sentence_reading import Reading
from lear.messages.suggestions import did_you_mean
from lear.search.skeleton_derivation import Program
from lear.storage.data_folder import DataFolder

DERIVATIONS_AN_ANSWER = 5
"""How many derivations are looked at for each answer asked for; several may have one form."""
MAX_UNFIT = 0.1
"""The share of a model's rules that its domain may have no use for."""


@dataclass(frozen=True)
class Parse:
    """An answer: the form with its derivation, or the reason why there is none."""

    tokens: tuple[str, ...]
    form: str | None
    meaning: Meaning | None
    score: float
    reason: str
    """Why there is no form; empty when there is one."""
    unknown: tuple[str, ...]
    """Words that training never showed, which were overlooked where a domain allows it."""
    nbest: tuple["Parse", ...]
    """All answers asked for, best first; empty unless more than one was asked for."""
    _derive: Callable[[], Derivation] | None
    _execute: Execute | None = None

    @cached_property
    def denotation(self) -> object:
        """What the form comes to on the facts that ship, where the domain has any; else None."""
        if self._execute is None or self.form is None:
            return None
        return self._execute(self.form)

    @cached_property
    def derivation(self) -> Derivation | None:
        """How the form came about."""
        return None if self._derive is None else self._derive()

    def to_dict(self) -> dict[str, Any]:
        """What `lear predict` writes of it, for `msgspec.json.encode`.

        The derivation is JSON text already: trees may be deeper than Python's own reader can go.
        """
        fields: dict[str, Any] = {"sentence": " ".join(self.tokens), "form": self.form}
        if self.unknown:
            fields["unknown"] = self.unknown
        if self.derivation is None:
            return fields | {"reason": self.reason}
        derivation = msgspec.Raw(to_json(self.derivation))
        return fields | {"score": self.score, "derivation": derivation}


class Parser:
    """A trained model at work. `parser(text)` parses one sentence, `parser.pipe` many."""

    def __init__(self, model: Model) -> None:
        self.model = model
        config = model.header.config
        self.domain = find_domain(model.header.domain).with_algebra(config.algebra)
        if model.header.vocabulary.operations != tuple(self.domain.language.algebra.by_name):
            raise DataError(
                f"the model was trained with other operations than domain {self.domain.name!r} has "
                "now; train it anew"
            )
        self.skip_steps: tuple[str, ...] = ()
        """Finishing steps of the domain that are to be left out."""
        self._execute: Execute | None = None
        may_be_nothing = config.nothing == "interpreter"
        self.reader = SentenceReader(self.domain, model.lexicon, may_be_nothing=may_be_nothing)
        categories = self.reader.categories.restricted(
            model.header.attested, by_types=config.legality != "any"
        )
        self.decoder: ChartDecoder | GreedyDecoder
        try:
            leaves = self.reader.leaf_categories()
        except LookupError as error:
            reason = f"its lexicon does not fit domain {self.domain.name!r}: {error}"
            raise DataError(f"not a model to be used: {reason}") from None
        if model.header.decoding == "greedy":
            self.decoder = GreedyDecoder(model.network, self.reader, categories)
        else:
            self.decoder = ChartDecoder(model.network, categories, model.header.rules, leaves)

    @classmethod
    def from_pretrained(cls, name_or_path: str | Path) -> "Parser":
        """A shipped model by name, or a run's folder, a model's folder or a model file."""
        path = find_model(str(name_or_path))
        parser = cls(load_model(path))
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
        save_model(Path(folder) / FILE_NAME, self.model)

    def __call__(self, text: str, nbest: int = 1) -> Parse:
        """Parse one sentence."""
        return self.parse(self.domain.words.tokenize(text), nbest)

    def pipe(self, texts: Iterable[str]) -> Iterator[Parse]:
        """Parse many sentences, in order, as they come."""
        return map(self, texts)

    def parse(self, tokens: tuple[str, ...], nbest: int = 1) -> Parse:
        """Parse one sentence. Without a derivation, `form` is None and `reason` says why."""
        if nbest == 1:
            return self.parse_batch([tokens])[0]
        if isinstance(self.decoder, GreedyDecoder):
            raise UsageError("this model decodes greedily and has one answer only")
        if not tokens:
            return _no_answer(tokens, "the sentence is empty")
        reading = self.reader.read(tokens)
        try:
            programs = self.decoder.best_of(reading, nbest * DERIVATIONS_AN_ANSWER)
        except SearchLimitError as error:
            return _no_answer(tokens, str(error))
        best: dict[str | None, Parse] = {}
        for program in programs:
            answer = self._answer(reading, program)
            best.setdefault(answer.form, answer)
        answers = tuple(best.values())[:nbest]
        return replace(answers[0], nbest=answers) if answers else self._nothing(tokens)

    def parse_batch(self, sentences: Sequence[tuple[str, ...]]) -> list[Parse]:
        """Parse several sentences at once, which is faster than one by one."""
        readings = [self.reader.read(tokens) for tokens in sentences if tokens]
        results = self.decoder.best_of_each(readings) if readings else []
        decoded = iter(zip(readings, results, strict=True))
        answers = []
        for tokens in sentences:
            if tokens:
                reading, (program, reason) = next(decoded)
                answers.append(
                    self._answer(reading, program) if program else self._nothing(tokens, reason)
                )
            else:
                answers.append(_no_answer(tokens, "the sentence is empty"))
        return answers

    def _answer(self, reading: Reading, program: Program) -> Parse:
        language = self.domain.language
        try:
            composed = program.meaning(reading, self.domain)
            table = MeaningTable(language.algebra)
            meaning = language.finish(composed, reading.tokens, table, self.skip_steps)
            form = language.render(meaning)
        except RecursionError:
            return _no_answer(reading.tokens, "the meaning is nested too deeply")

        def derive() -> Derivation:
            return program.derivation(reading)

        execute = None if self.domain.execution is None else self._run
        unknown = self.reader.unknown_words(reading.tokens)
        return Parse(reading.tokens, form, meaning, program.score, "", unknown, (), derive, execute)

    def _nothing(self, tokens: tuple[str, ...], reason: str = "no derivation") -> Parse:
        meaningless = self.reader.read(tokens).meaningless_words
        words = meaningless or self.reader.unknown_words(tokens)
        if words:
            reason += f"; words without a meaning: {' '.join(words)}"
        return _no_answer(tokens, reason)

    def _run(self, form: str) -> object:
        if self._execute is None:
            assert self.domain.execution is not None  # only then is this asked
            self._execute = self.domain.execution.open_store(None, DataFolder.choose(None).find)
        return self._execute(form)


def _no_answer(tokens: tuple[str, ...], reason: str = "no derivation") -> Parse:
    return Parse(tokens, None, None, float("-inf"), reason, (), (), None)


def shipped_models() -> dict[str, Path]:
    """The models in the package, by name."""
    folder = Path(str(files("lear") / "pretrained"))
    return {path.parent.name: path for path in sorted(folder.glob(f"*/{FILE_NAME}"))}


def find_model(name: str) -> Path:
    """The model file that a name or a path means."""
    path = Path(name)
    for candidate in (path, path / FILE_NAME, path / "model-best" / FILE_NAME):
        if candidate.is_file():
            return candidate
    shipped = shipped_models()
    if name in shipped:
        return shipped[name]
    if path.exists():
        raise DataError(f"{name}: holds no {FILE_NAME}")
    raise UsageError(f"unknown model {name!r}{did_you_mean(name, shipped)}")
