"""SLOG (Li et al. 2023): COGS with relative clauses, questions and deeper recursion."""
