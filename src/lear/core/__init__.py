"""The mathematics: typed operations over meanings, derivations, and the lexicon of primitives."""
