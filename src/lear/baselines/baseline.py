"""A baseline: a model with its vocabularies, which writes forms and is scored."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from lear.baselines.config import BaselineConfig
from lear.baselines.lstm import AttentionLSTM
from lear.baselines.seq2seq import Seq2Seq
from lear.baselines.text import Bonds, Words, batches, bonds, joined, padded, pieces
from lear.baselines.transformer import Transformer
from lear.core.algebra import Meaning, MeaningTable
from lear.domain.domain import Domain
from lear.domain.example import Example
from lear.errors import FormError
from lear.evaluation.scores import Scores
from lear.evaluation.verdict import judge
from lear.messages.progress import SILENT, Tracker

DECODING_WORDS = 2048
"""Words of sentences that are decoded at a time."""


@dataclass(frozen=True)
class Baseline:
    """A model with the words that it reads and the pieces of forms that it writes."""

    model: Seq2Seq
    sources: Words
    targets: Words
    bound: Bonds
    """Pieces of forms that are written as one: shorter forms are learned and decoded faster."""
    pieces_per_word: float
    """The largest ratio of form length to sentence length in training; limits decoding."""

    @classmethod
    def of(cls, config: BaselineConfig, rows: Sequence[Example]) -> "Baseline":
        """An untrained baseline for these training rows."""
        sources = Words.of(row.tokens for row in rows)
        forms = [pieces(row.form) for row in rows]
        bound = bonds(forms)
        forms = [joined(form, bound) for form in forms]
        targets = Words.of(forms)
        architecture = Transformer if config.architecture == "transformer" else AttentionLSTM
        model: Seq2Seq = architecture(config, len(sources.names), len(targets.names))
        ratio = max(len(form) / len(row.tokens) for form, row in zip(forms, rows, strict=True))
        return cls(model, sources, targets, bound, ratio)

    def encode_form(self, form: str) -> list[int]:
        """The numbers of a form's pieces, followed by END."""
        return self.targets.encode(joined(pieces(form), self.bound))

    def predict(self, sentences: Sequence[tuple[str, ...]], tracker: Tracker = SILENT) -> list[str]:
        """The predicted form of each sentence; it may be malformed."""
        forms = [""] * len(sentences)
        encoded = [self.sources.encode(sentence) for sentence in sentences]
        self.model.eval()
        decoded = batches([len(text) for text in encoded], DECODING_WORDS)
        for batch in tracker.track(decoded, "batches decoded", len(decoded)):
            source = padded([encoded[index] for index in batch])
            longest = int(self.pieces_per_word * source.shape[1]) + 1
            for index, numbers in zip(batch, self.model.decode(source, longest), strict=True):
                forms[index] = self.targets.decode(numbers)
        return forms

    def score(self, domain: Domain, rows: Sequence[Example], tracker: Tracker = SILENT) -> Scores:
        """Strict and lenient scores; a malformed form is wrong."""
        scores = Scores()
        started = time.perf_counter()
        forms = self.predict([row.tokens for row in rows], tracker)
        scores.parse_seconds = time.perf_counter() - started
        for row, form in zip(rows, forms, strict=True):
            verdict = judge(domain, row, form, _meaning(domain, row, form))
            scores.add(row.group, row.length, verdict)
        return scores


def _meaning(domain: Domain, row: Example, form: str) -> Meaning | None:
    try:
        return domain.language.read(form, row.tokens, MeaningTable(domain.language.algebra))
    except FormError:
        return None
