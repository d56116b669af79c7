"""Derivations, packed: charts, forests, sums over them, and the search of the best."""
