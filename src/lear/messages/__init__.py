"""Messages for the user at the terminal."""
