"""Examples in docstrings show what really happens."""

import doctest
import importlib

import pytest

import lear


@pytest.mark.parametrize("name", ["lear", "lear.parser", "lear.answering.parse"])
def test_examples_of_docstrings_run(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("name", ["from_pretrained", "pipe", "parse_batch", "save_pretrained"])
def test_what_people_begin_with_has_an_example(name: str) -> None:
    assert ">>> " in getattr(lear.Parser, name).__doc__
