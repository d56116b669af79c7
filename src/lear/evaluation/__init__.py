"""Measuring: what is in reach, and later what is right."""
