"""The method on one page: its sums and gradients are the library's, and it learns both ways."""

import importlib.util
import re
from itertools import combinations, product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from lear.forest.packed import NO_CHILD, Edges, PackedForest
from lear.learning.exact import log_partitions

PAGE = Path(__file__).parent.parent / "examples/lear_on_one_page.py"
SENTENCES = (
    "ann likes bob",
    "the mother of ann and bob is helped by carl",
    "ann and the friend of the boss of dora likes bob and carl and ann",
)


@pytest.fixture(scope="module")
def page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lear_on_one_page", PAGE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def forest_of(page: ModuleType, network: Any, reading: Any) -> tuple[PackedForest, Tensor]:
    """All legal derivations of a sentence as the library packs them, with scores of its edges."""
    spans = sorted(combinations(range(len(reading.units) + 1), 2), key=lambda s: s[1] - s[0])
    numbers: dict[tuple[int, int, str], int] = {}
    edges: list[tuple[int, int, int]] = []
    scores: list[Tensor] = []

    def add(begin: int, end: int, kind: str, score: Tensor, *children: int) -> None:
        item = numbers.setdefault((begin, end, kind), len(numbers))
        first, second = (*children, NO_CHILD, NO_CHILD)[:2]
        edges.append((item, first, second))
        scores.append(score)

    lexical = network.lexical(reading)
    for begin, end in spans:
        if end == begin + 1:
            for name, score in zip(reading.candidates[begin], lexical[begin], strict=True):
                add(begin, end, page.PRIMITIVES[name], score)
        for middle in range(begin + 1, end):
            for left, right in product(page.TYPES, repeat=2):
                items = ((begin, middle, left), (middle, end, right))
                if not all(item in numbers for item in items):
                    continue
                children = [numbers[item] for item in items]
                merge, operations = network.node(left, *reading.gaps[middle - 1], right)
                for number, operation in enumerate(page.OPERATIONS):
                    if left in operation.left and right in operation.right:
                        score = merge + operations[number]
                        add(begin, end, operation.result, score, *children)
    lengths = np.array([end - begin for begin, end, _ in numbers])
    parent, first, second = np.array(edges).T
    order = np.argsort(parent, kind="stable")
    label = np.arange(len(edges))
    roots = [n for (begin, end, _), n in numbers.items() if end - begin == len(reading.units)]
    columns = Edges(parent, label, first, second).where(order)
    forest = PackedForest(lengths, columns, np.array(roots), np.zeros(len(roots), dtype=int))
    return forest, torch.stack(scores)


def gradients(network: Any, total: Tensor) -> list[Tensor]:
    network.zero_grad()
    network.cache.clear()
    total.backward()  # type: ignore[no-untyped-call]
    return [p.grad.clone() for p in network.parameters() if p.grad is not None]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_its_sums_and_gradients_are_those_of_the_library(page: ModuleType, sentence: str) -> None:
    names = [*page.NAMES, *page.RELATIONS]
    table = {name: [name] for name in names} | {
        "likes": ["like"], "liked": ["like"], "helped": ["help"]
    }  # fmt: skip
    torch.manual_seed(3)
    symbols = {*" ".join(SENTENCES).split(), *page.PRIMITIVES, *page.TYPES}
    network = page.Network(sorted(symbols))
    reading = page.Reading(sentence.split(), table)
    items = page.inside(network, reading, lambda item: (item[0], ("x",)))
    on_page = torch.stack(list(items.values())).logsumexp(0)
    expected = gradients(network, on_page)
    forest, scores = forest_of(page, network, reading)
    (total,) = log_partitions([forest], [0], scores)
    assert total.item() == pytest.approx(on_page.item(), abs=1e-4)
    for found, wanted in zip(gradients(network, total), expected, strict=True):
        torch.testing.assert_close(found, wanted, atol=1e-4, rtol=1e-3)


def test_it_imports_nothing_from_the_library_and_is_one_page() -> None:
    text = PAGE.read_text()
    assert not re.search(r"^\s*(import|from) lear\b", text, re.M)
    assert len(text.splitlines()) <= 300


@pytest.mark.slow
def test_it_learns_both_ways(page: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    page.main()
    shown = re.search(r"REINFORCE (\d+), exact objective (\d+) right", capsys.readouterr().out)
    assert shown is not None
    assert min(map(int, shown.groups())) >= 45
