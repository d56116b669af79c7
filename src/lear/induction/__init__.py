"""Inducing a lexicon from training rows: by EM alignment, or by covers."""
