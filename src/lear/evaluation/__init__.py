"""Measuring: coverage, accuracy, blame and the round trip of forms."""
