"""Files on disk: atomic writing, and finding, checking and downloading data files."""
