"""`lear lexicon` and `lear algebra` print what there is."""

import json

from lear.domains.cogs.domain import COGS
from lear.lexicon.lexicon import Lexicon
from tests.support.cli import Capture, lear


def test_algebra_prints_every_operation(capsys: Capture) -> None:
    _, out, _ = lear(capsys, "algebra", "cogs", "--json")
    assert [op["name"] for op in json.loads(out)["operations"]] == list(
        COGS.language.algebra.by_name
    )
    _, text, _ = lear(capsys, "algebra", "cogs")
    assert len(text.splitlines()) == 1 + len(COGS.language.algebra.operations)


def test_the_printed_lexicon_reads_back(capsys: Capture) -> None:
    _, out, _ = lear(capsys, "lexicon", "toy", "--json")
    lexicon = Lexicon.from_json(out.encode(), "stdout")
    assert lexicon.units["best", "friend"][0].primitive.symbol == "best_friend"
    _, text, _ = lear(capsys, "lexicon", "toy", "--word", "friend")
    assert [line.split()[0] for line in text.splitlines()] == ["unit", "best", "friend"]
