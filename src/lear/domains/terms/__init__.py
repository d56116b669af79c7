"""A language from pairs alone: forms are terms, and everything about them is inferred."""
