"""The domains that lear knows, one folder each; the list is in `registry`."""
