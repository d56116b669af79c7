"""`lear bench`: rates of both versions, and their ratios."""

import json

import pytest

from tests.support.cli import Capture, lear


@pytest.mark.slow
def test_bench_prints_rates_and_ratios(capsys: Capture) -> None:
    code, out, _ = lear(capsys, "bench", "toy", "--seconds", "1", "--threads", "1", "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["benchmark"], found["seed"], found["threads"]) == ("toy/deep", 1, 1)
    for what, items in (("train", "examples"), ("parse", "sentences")):
        fast, plain = (found[f"{what}_{items}_per_second{kind}"] for kind in ("", "_plain"))
        assert fast > 0
        assert plain > 0.005
        # The ratio is that of the rates before they were rounded, and is rounded itself.
        ratio = found[f"{what}_speedup_over_plain"]
        assert (fast - 0.06) / (plain + 0.006) - 0.06 <= ratio
        assert ratio <= (fast + 0.06) / (plain - 0.006 if plain > 0.006 else 1e-9) + 0.06
