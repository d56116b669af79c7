"""How likely answers are: `Probabilities` works it out for many together, and remembers it.

The probability of a form is the sum over all derivations that come to it (`forest.distribution`),
times what the traits of the answer cost it by calibration. Each sentence has one budget: what the
search for its answer took of it is not there for this. Answers do not depend on what was asked
before: what is remembered is what would be worked out again.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lear.algebra.algebra import Meaning, MeaningTable
from lear.answering.decoders import ChartDecoder, Newest, fingerprint
from lear.answering.words import WordMark
from lear.errors import SearchLimitError, UsageError
from lear.forest.arrays import Floats
from lear.forest.chart import out_of_budget
from lear.forest.distribution import LikelyForest, SentenceForests, WeighedMeaning
from lear.forest.programs import Program, rules_of_program
from lear.forest.search import in_batches, num_cells
from lear.grammar.reading import Candidate, Reading, SentenceReader
from lear.grammar.rules import Rule
from lear.memory import give_memory_back
from lear.model.config import Calibration, TraitCounts
from lear.model.lexical_choices import best_primitives, leaf_scores

if TYPE_CHECKING:
    from lear.answering.answers import Answer
    from lear.answering.decoders import GreedyDecoder

COMBINATIONS_PER_EDGE = 10
"""To weigh an edge, or to put meanings together, takes as long as so many combinations."""
LIKELY, UNLIKELY = 1e-3, 1e-9
"""Parts of derivations below the first are left out, unless more answers are asked for than are
found; then those below the second."""
MAX_TOGETHER, MAX_CELLS = 64, 20_000
"""So many answers are weighed together, and so many spans: who asks for one waits for these."""
MIN_CLEARED = 8
"""After so many, free memory is given back to the system: it takes a millisecond."""
ProbabilityAt = Callable[[float], float]
"""Temperature -> the probability of an answer, before what its traits cost it."""


class Known(NamedTuple):
    """What is remembered of an answer."""

    probability: float
    """Before what its traits cost it."""
    num_novel: int
    """How many of its rules no training derivation uses."""


class LikelyAnswer(NamedTuple):
    """An answer with the probability of all its derivations."""

    form: str
    meaning: Meaning
    probability: float
    program: Program
    """The best of its derivations."""


@dataclass
class Probabilities:
    """Finds out how likely answers are."""

    reader: SentenceReader
    decoder: "ChartDecoder | GreedyDecoder"
    calibration: Calibration
    known_rules: frozenset[Rule] = frozenset()
    """Those that training derivations use; none where that is not known."""
    skip_steps: tuple[str, ...] = ()
    """Finishing steps of the domain to leave out."""

    def __post_init__(self) -> None:
        self.domain = self.reader.domain
        self.lexicon = self.reader.lexicon
        # A greedy decoder knows the probability of what it did.
        decoder = self.decoder
        most = decoder.max_remembered if isinstance(decoder, ChartDecoder) else 0
        self._remembered = Newest[Known](most)

    def of(self, answer: "Answer", together: Sequence["Answer"]) -> float | None:
        """Return how likely an answer is; None where a limit was met.

        Answers that were found together are weighed together, which is faster.
        """
        if not answer.is_weighed:
            self._recall(answer)
        if not answer.is_weighed:
            self._weigh(together)
        if answer.known is None:
            return None
        traits = answer.request.traits(answer.program, self.lexicon, answer.known.num_novel)
        return answer.known.probability * self.calibration.factor(traits)

    def at_temperatures(self, answer: "Answer") -> ProbabilityAt:
        """Return how likely an answer is at any temperature, before what its traits cost it.

        At a temperature where a limit is met nothing is known of it: there it is 0. The higher, the
        more derivations are likely, so that this may be so at some temperatures only.
        """
        if not isinstance(self.decoder, ChartDecoder):
            return partial(_of_one_way, answer.program.score)
        weigher = _Weigher(self, self.decoder, [answer])

        def at(temperature: float) -> float:
            (found,) = weigher.answers(temperature, LIKELY)
            if isinstance(found, SearchLimitError):
                return 0.0
            return _probability_of(answer.form, found)

        return at

    def likely(self, answer: "Answer", count: int) -> list[LikelyAnswer]:
        """Return the likeliest answers, best first: at least `count`, where there are as many.

        Raises:
            SearchLimitError: what is left of the sentence's budget does not suffice.
        """
        if not isinstance(self.decoder, ChartDecoder):
            raise UsageError("this model decodes greedily and has one answer only")
        temperature = self.calibration.temperature
        weigher = _Weigher(self, self.decoder, [answer])
        found: list[LikelyAnswer] = []
        for min_posterior in (LIKELY, UNLIKELY, 0.0):
            if min_posterior == 0.0:  # also those that the decoder dropped on the way as hopeless
                weigher = _Weigher(self, self.decoder, [answer], is_exhaustive=True)
            (found_or_limit,) = weigher.answers(temperature, min_posterior)
            if isinstance(found_or_limit, SearchLimitError):
                raise found_or_limit
            found = found_or_limit
            if len(found) >= count:
                break
        return found

    def adjusted(self, answer: "Answer", probability: float) -> float:
        """Return a probability with what the traits of an answer cost it."""
        return probability * self.calibration.factor(self.traits(answer))

    def traits(self, answer: "Answer") -> TraitCounts:
        """Return what makes an answer less sure than its derivations say."""
        return answer.request.traits(answer.program, self.lexicon, self._num_novel(answer))

    def left_out(self, answer: "Answer") -> tuple[WordMark, ...]:
        """Return words that are overlooked, or are function words as in no training row."""
        request, program = answer.request, answer.program
        overlooked, unused = request.overlooked(program), request.unused(program, self.lexicon)
        if not unused or not self.known_rules:
            return (*overlooked, *unused)
        parts = {part for rule in self._novel_rules(answer) for part in rule.parts}
        told = (mark for mark in unused if not parts.isdisjoint(mark.text.split()))
        return (*overlooked, *told)

    def finish(self, meaning: Meaning, reading: Reading) -> Meaning:
        """Return a whole meaning after its finishing steps."""
        language = self.domain.language
        if not language.finishing:
            return meaning
        return language.finish(
            meaning, reading.tokens, MeaningTable(language.algebra), self.skip_steps
        )

    def _num_novel(self, answer: "Answer") -> int:
        return len(self._novel_rules(answer)) if self.known_rules else 0

    def _novel_rules(self, answer: "Answer") -> list[Rule]:
        """Return those of its rules that no training derivation uses."""
        rules = rules_of_program(answer.program, answer.request.reading, self.domain)
        return [rule for rule in rules if rule not in self.known_rules]

    def _keys(self, answer: "Answer") -> tuple[bytes, bytes]:
        """Return what a probability depends on: the skeleton where one derivation is likely.

        The second key is all of it in any case: derivations may come to one meaning by what words
        stand for.
        """
        reading, decoded = answer.request.reading, answer.decoded
        search = (decoded.search, decoded.is_overlooking, decoded.is_exhaustive)
        primitives = tuple(reading.primitives.items())
        sentence = (answer.skeleton, *search, reading.view, primitives, self.skip_steps)
        return fingerprint((answer.skeleton, *search)), fingerprint(sentence)

    def _recall(self, answer: "Answer") -> None:
        """Take what is remembered of an answer."""
        for key in self._keys(answer):
            if answer.known is None:
                answer.known = self._remembered.get(key)
        answer.is_weighed = answer.known is not None

    def _weigh(self, answers: Sequence["Answer"]) -> None:
        """Find out about all answers of which nothing is known."""
        first_of_skeleton = {answer.skeleton: answer for answer in reversed(answers)}
        # What is found out about one sentence of a skeleton often holds for the others.
        for some in (first_of_skeleton.values(), answers):
            for answer in some:
                if not answer.is_weighed:
                    self._recall(answer)
            for together in _alike([answer for answer in some if not answer.is_weighed]):
                self._weigh_alike(together)
                if len(together) >= MIN_CLEARED:
                    give_memory_back()

    def _weigh_alike(self, answers: Sequence["Answer"]) -> None:
        """Find out about answers that were searched alike."""
        temperature = self.calibration.temperature
        if isinstance(self.decoder, ChartDecoder):
            found = _Weigher(self, self.decoder, answers).probabilities(temperature)
        else:
            found = [(_of_one_way(a.program.score, temperature), False) for a in answers]
        for answer, (probability, is_of_skeleton) in zip(answers, found, strict=True):
            answer.is_weighed = True
            if probability is not None:
                answer.known = Known(probability, self._num_novel(answer))
                key = self._keys(answer)[0 if is_of_skeleton else 1]
                self._remembered.update([(key, answer.known)])


class _Weigher:
    """The derivations of some answers' sentences, which were searched alike."""

    def __init__(
        self,
        probabilities: Probabilities,
        decoder: ChartDecoder,
        answers: Sequence["Answer"],
        *,
        is_exhaustive: bool = False,
    ) -> None:
        """Search the sentences again, and keep all that can be built.

        Args:
            probabilities: How meanings are finished, and the domain.
            decoder: What found the answers.
            answers: These.
            is_exhaustive: Whether to drop nothing, even if the decoder did.
        """
        self.domain, self._finish = probabilities.domain, probabilities.finish
        self._answers = answers
        decoded = [answer.decoded for answer in answers]
        readings = [answer.request.reading for answer in answers]
        leaves = leaf_scores(decoder.forward, readings)
        choices = best_primitives(decoder.forward, readings)
        search = decoder.search(
            [(answer.skeleton, best) for answer, best in zip(answers, choices, strict=True)],
            [found.spent for found in decoded],
            decoded[0].search,
            is_exhaustive=is_exhaustive or decoded[0].is_exhaustive,
            keeps_edges=True,
        )
        self._forests = SentenceForests(search, leaves)
        most = decoder.budget.combinations
        self._left: list[int | SearchLimitError] = []
        """What is left of the budget of each; or that nothing is known since a limit was met."""
        for place, found in enumerate(decoded):
            rest = most - found.spent - COMBINATIONS_PER_EDGE * self._forests.num_edges[place]
            num_tokens = len(answers[place].skeleton.words)
            error = search.limit_met(place) or (
                out_of_budget(num_tokens, most) if rest < 0 else None
            )
            self._left.append(error or rest)

    def answers(
        self, temperature: float, min_posterior: float
    ) -> list[list[LikelyAnswer] | SearchLimitError]:
        """Return the answers to each sentence, likeliest first, of parts that are so likely."""
        likely = self._forests.likely(temperature, min_posterior)
        return [self._answers_of(place, forest) for place, forest in enumerate(likely)]

    def probabilities(self, temperature: float) -> list[tuple[float | None, bool]]:
        """Return how likely the answers are, None where a limit was met.

        And whether it is the same for all sentences of a skeleton, whatever their words are.
        """
        found: list[tuple[float | None, bool]] = []
        for place, forest in enumerate(self._forests.likely(temperature, LIKELY)):
            log_p = None
            if not isinstance(self._left[place], SearchLimitError):
                log_p = forest.log_p_of_only(self._answers[place].program)
            if log_p is not None:
                found.append((_mean_probability(log_p), True))
                continue
            answers, probability = self._answers_of(place, forest), None
            if not isinstance(answers, SearchLimitError):
                probability = _probability_of(self._answers[place].form, answers)
            found.append((probability, False))
        return found

    def _answers_of(
        self, place: int, forest: LikelyForest
    ) -> list[LikelyAnswer] | SearchLimitError:
        """Return the answers that the likely parts of a forest come to, likeliest first."""
        language, words = self.domain.language, self.domain.words
        table = MeaningTable(language.algebra)
        reading, left = self._answers[place].request.reading, self._left[place]
        if isinstance(left, SearchLimitError):
            return left

        def ground(candidate: Candidate) -> Meaning:
            return words.ground(reading.primitive(candidate), candidate.leaf.begin, table)

        def apply(operation: str, arguments: tuple[Meaning, ...]) -> Meaning | None:
            return table.apply(language.algebra.by_name[operation], arguments)

        try:
            meanings = forest.meanings(ground, apply, left // COMBINATIONS_PER_EDGE)
        except SearchLimitError as error:
            return error
        by_form: dict[str, list[WeighedMeaning]] = {}
        for weighed in meanings:
            finished = weighed._replace(meaning=self._finish(weighed.meaning, reading))
            by_form.setdefault(language.render(finished.meaning), []).append(finished)
        answers = []
        for form, group in by_form.items():
            meaning, _, program = max(group, key=lambda entry: entry.program.score)
            log_p = np.logaddexp.reduce([entry.log_p for entry in group])
            answers.append(LikelyAnswer(form, meaning, _mean_probability(log_p), program))
        return sorted(answers, key=lambda answer: -answer.probability)


def _alike(answers: Sequence["Answer"]) -> Iterator[list["Answer"]]:
    """Cut answers into those that were searched alike, a bounded number at a time."""
    groups: dict[tuple[int, bool], list[Answer]] = {}
    for answer in answers:
        key = (answer.decoded.search, answer.decoded.is_exhaustive)
        groups.setdefault(key, []).append(answer)
    for group in groups.values():
        sizes = [num_cells(answer.skeleton) for answer in group]
        for batch in in_batches(range(len(group)), sizes, MAX_CELLS):
            yield [group[place] for place in batch]


def _probability_of(form: str, answers: Sequence[LikelyAnswer]) -> float:
    return next((answer.probability for answer in answers if answer.form == form), 0.0)


def _mean_probability(log_p: Floats) -> float:
    """Return the mean of what members say, (K,)."""
    return min(1.0, float(np.exp(log_p).mean()))


def _of_one_way(score: float, temperature: float) -> float:
    """Return the probability of the one derivation that a greedy decoder knows of."""
    return math.exp(min(0.0, score / temperature))
