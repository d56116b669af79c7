"""Files on disk: written whole or not at all, found, checked and fetched."""
