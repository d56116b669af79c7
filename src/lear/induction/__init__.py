"""Inducing a lexicon from training pairs."""
