"""Sequence-to-sequence models to compare with: a Transformer and an LSTM with attention."""
