"""`lear serve`: parsing as a service, with a JSON API and a page."""
