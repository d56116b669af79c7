"""Examples in docstrings show what really happens."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["lear.parser", "lear.decoding.parse"])
def test_examples_of_docstrings_run(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0
