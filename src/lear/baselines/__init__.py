"""Sequence-to-sequence baselines: a Transformer, and an LSTM with attention."""
