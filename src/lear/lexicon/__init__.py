"""Which words may stand for which primitives, learned from training pairs."""
