"""Probabilities that were worked out before, which takes longer than finding an answer."""

from collections.abc import Hashable, Sequence
from itertools import islice
from typing import NamedTuple

from lear.decoding.fingerprint import fingerprint
from lear.grammar.sentence_reading import Reading
from lear.search.skeleton_derivation import Decoded


class Keys(NamedTuple):
    """What the probability of an answer depends on."""

    skeleton: Hashable
    """All of it, where only one derivation is likely, and words have no scores of their own."""
    sentence: Hashable
    """All of it in any case: derivations may come to one meaning by what words stand for."""

    @classmethod
    def of(cls, reading: Reading, decoded: Decoded, skip_steps: Sequence[str]) -> "Keys":
        """The keys of an answer; the model is the same for all."""
        used = reading.overlooking if decoded.is_overlooking else reading.skeleton
        skeleton = (used, decoded.search, decoded.is_overlooking, decoded.is_exhaustive)
        primitives = tuple(reading.primitives.items())
        return cls(skeleton, (skeleton, reading.view, primitives, tuple(skip_steps)))


class Known(NamedTuple):
    """What is remembered of an answer."""

    probability: float
    """Before what its traits cost it."""
    num_novel: int
    """How many of its rules no training derivation uses."""


class RememberedProbabilities:
    """What is known of answers; only the newest are remembered."""

    def __init__(self, max_remembered: int) -> None:
        self.max_remembered = max_remembered
        self._known: dict[bytes, Known] = {}  # by fingerprints

    def __len__(self) -> int:
        """Of how many skeletons and sentences something is known."""
        return len(self._known)

    def get(self, keys: Keys) -> Known | None:
        """What is known of an answer; None if nothing is."""
        known = self._known.get(fingerprint(keys.skeleton))
        return self._known.get(fingerprint(keys.sentence)) if known is None else known

    def put(self, keys: Keys, known: Known, *, is_of_skeleton: bool) -> None:
        """Remember it of all sentences with this skeleton, or of this sentence."""
        self._known[fingerprint(keys.skeleton if is_of_skeleton else keys.sentence)] = known
        if len(self._known) > self.max_remembered:
            num_forgotten = len(self._known) - (self.max_remembered + 1) // 2
            self._known = dict(islice(self._known.items(), num_forgotten, None))
