"""A Bi-LSTM over sentences of different lengths."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class SentenceEncoder(nn.Module):
    """Words in context; what a sentence gets does not depend on the others of its batch."""

    def __init__(self, num_words: int, hidden: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(num_words, hidden)
        self.lstm = nn.LSTM(hidden, hidden, batch_first=True, bidirectional=True)

    def forward(self, sentences: Sequence[Sequence[int]]) -> Tensor:
        """Sentences as numbers of words -> states (B, T, 2D); what is beyond an end is zero."""
        lengths = [len(sentence) for sentence in sentences]
        words = torch.zeros((len(sentences), max(lengths)), dtype=torch.long)
        for row, sentence in enumerate(sentences):
            words[row, : lengths[row]] = torch.tensor(sentence)
        packed = pack_padded_sequence(
            self.embedding(words.to(self.embedding.weight.device)),
            torch.tensor(lengths),
            batch_first=True,
            enforce_sorted=False,
        )
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return states
