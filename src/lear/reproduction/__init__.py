"""Reproduction: the paper's tables and figures, as data, as runs, and as files."""
