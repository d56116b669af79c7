"""Meanings, operations and derivations: the mathematics."""
