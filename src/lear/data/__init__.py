"""Where benchmark files lie, how they are checked, and how they are fetched."""
