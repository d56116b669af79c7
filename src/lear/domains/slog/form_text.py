"""SLOG writes COGS forms: relative clauses as `nmod`, what a question asks for as `?`."""

from lear.domains.cogs.form_text import read, render

__all__ = ["read", "render"]
