"""COGS (Kim & Linzen 2020): English sentences to neo-Davidsonian logical forms."""
