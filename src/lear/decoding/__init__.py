"""Parsing with a trained network, and the file that a model is kept in."""
