"""Words for the person at the terminal."""
