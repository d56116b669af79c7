"""Evaluating a parser on rows: strictly, nothing skipped, with the lenient metric beside it."""

import time
from collections.abc import Callable, Iterator, Sequence

from lear.core.garbage_collection import no_garbage_collection
from lear.domain.example import Example
from lear.evaluation.scores import Scores
from lear.evaluation.verdict import judge, same_answer
from lear.messages.progress import SILENT, Tracker
from lear.parser import Parse, Parser

CHUNK = 4000
"""Rows parsed at a time, so that memory does not grow with their number."""


def evaluate(
    parser: Parser,
    examples: Sequence[Example],
    on_wrong: Callable[[Example, Parse], None] | None = None,
    execute: Callable[[str], object] | None = None,
    tracker: Tracker = SILENT,
) -> Scores:
    """Parse every row and compare with its form, and what the forms give if they are run."""
    scores = Scores()
    parsed = _parsed(parser, examples, scores)
    for row, parse in tracker.track(parsed, "rows evaluated", len(examples)):
        verdict = judge(parser.domain, row, parse.form, parse.meaning)
        if execute is not None:
            answer = same_answer(execute, row.form, parse.form)
            verdict = verdict._replace(denotation=answer)
        scores.add(row.group, row.length, verdict)
        if not verdict.exact and on_wrong is not None:
            on_wrong(row, parse)
    return scores


def _parsed(
    parser: Parser, examples: Sequence[Example], scores: Scores
) -> Iterator[tuple[Example, Parse]]:
    """Each row with its parse; the time of parsing is added to the scores."""
    for begin in range(0, len(examples), CHUNK):
        rows = examples[begin : begin + CHUNK]
        started = time.perf_counter()
        with no_garbage_collection():
            parses = parser.parse_batch([row.tokens for row in rows])
        scores.parse_seconds += time.perf_counter() - started
        yield from zip(rows, parses, strict=True)
