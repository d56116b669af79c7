"""Filling the spans of few sentences, one at a time.

`SpanSearch.run` looks at all spans of one length together, which for few sentences is mostly
waiting for NumPy. Where a lookahead leaves little to be built, plain loops over the same tables are
several times as fast. They find the same items, edges and scores, in the same order.
"""

from collections.abc import Iterator
from typing import NamedTuple

from lear.search.span_items import LEAF, NO_ITEM
from lear.search.span_search import LeafRow, SpanSearch

LEAVES_FIRST = -(1 << 62)
"""Comes before all places, in the order of equally good steps."""


class _Step(NamedTuple):
    """A way to build something over a span."""

    score: float
    order: int
    """Of equally good steps the lowest is taken: leaves, then those that split late."""
    step: int
    left: int
    right: int


_Found = dict[int, list[_Step]]
"""Category -> ways to build it."""


def fill_by_loops(search: SpanSearch) -> None:
    """Fill all spans of a search that has a lookahead and has not begun."""
    sentences = [_Sentence(search, number) for number in range(len(search.grid.lengths))]
    for length in range(1, int(search.grid.lengths.max()) + 1):
        for sentence in sentences:
            sentence.fill(length)
    search.items.finish()


class _Sentence:
    """One sentence of a search."""

    def __init__(self, search: SpanSearch, number: int) -> None:
        assert search.fits is not None  # who calls this has seen to it
        self.search, self.number = search, number
        self.grammar, self.items = search.grammar, search.items
        grid = search.grid
        self.width = grid.widths.item(number)
        self.first_row = grid.first_row.item(number)
        self.first_cell = grid.cells(number, 0, 0).item()
        self.trailing = grid.trailing.item(number)
        rows = slice(self.first_row, self.first_row + self.width)
        self.gaps = [numbers[rows].tolist() for numbers in grid.gap_numbers]
        self.ending, self.beginning = search.fits.masks(rows)
        self.before, self.after = search.fits.lookahead.masks
        self.leaves: dict[tuple[int, int], list[LeafRow]] = {}
        for rows_of_length in search.leaves.values():
            for row in rows_of_length:
                if row[2] == number:
                    self.leaves.setdefault((row[3], row[4]), []).append(row)
        self.cells: list[dict[int, range]] = [{} for _ in range(self.width)]
        """By the begin of a span and by its end: its items, where there are any."""
        self.is_over = False

    def fill(self, length: int) -> None:
        """Fill the spans of this length."""
        for begin in range(self.width - length):
            if not self.is_over:
                self._fill(begin, begin + length)

    def _fill(self, begin: int, end: int) -> None:
        found: _Found = {}
        before, after = self.before, self.after
        ending, beginning = self.ending[begin], self.beginning[end]
        for category, step in self._steps(begin, end):
            steps = found.get(category)
            if steps is not None:
                steps.append(step)
            elif (
                category < len(before) and before[category] & ending and after[category] & beginning
            ):
                found[category] = [step]
        if found and not self.is_over:
            self._keep(begin, end, found)

    def _keep(self, begin: int, end: int, found: _Found) -> None:
        """Take the best way to each category, unless it is much worse than the best of all."""
        best = {category: _best(steps) for category, steps in found.items()}
        margin = self.search.budget.margin
        if margin is not None:
            least = max(step.score for step in best.values()) - margin
            best = {category: step for category, step in best.items() if step.score >= least}
        cell = self.first_cell + begin * self.width + end
        first = self.items.size
        for category in sorted(best):
            score, _, step, left, right = best[category]
            edges = sorted(found[category], key=lambda way: way.order)
            self.items.append(
                (score, cell, category, step, left, right), [way[2:] for way in edges]
            )
        self.cells[begin][end] = range(first, self.items.size)

    def _steps(self, begin: int, end: int) -> Iterator[tuple[int, _Step]]:
        """Categories over a span, with ways to build them."""
        for score, rank, _, _, _, category in self.leaves.get((begin, end), ()):
            yield int(category), _Step(score, LEAVES_FIRST, LEAF, int(rank), NO_ITEM)
        yield from self._unary(begin, end)
        yield from self._binary(begin, end)

    def _unary(self, begin: int, end: int) -> Iterator[tuple[int, _Step]]:
        """Operations on one constituent and the words around it."""
        shape, scores = self.grammar.shape, self.items.scores
        for words in range(1, min(shape.beside, end - begin - 1) + 1):
            for after in range(words + 1):
                first, last = begin + words - after, end - after
                items = self.cells[first].get(last)
                if items is None:
                    continue
                gaps = self.gaps[words - after][begin], self.gaps[after][last]
                is_trailing = last >= self.trailing
                if min(gaps) < 0 or not shape.allows_unary(
                    words - after, after, is_trailing=is_trailing
                ):
                    continue
                order = -(self.first_row + first)
                for item in items:
                    for step, cost, result in self.grammar.unary_steps(
                        self.items.categories[item], *gaps
                    ):
                        yield result, _Step(cost + scores[item], order, step, item, NO_ITEM)

    def _binary(self, begin: int, end: int) -> Iterator[tuple[int, _Step]]:
        """Operations on two constituents, with words between them or not."""
        scores, categories, cells = self.items.scores, self.items.categories, self.cells
        steps_of = self.grammar.binary_steps
        num_pairs = num_combinations = 0
        for gap in range(min(self.grammar.shape.between, end - begin - 2) + 1):
            gaps = self.gaps[gap]
            for last, lefts in cells[begin].items():  # from short to long
                middle = last + gap
                rights = cells[middle].get(end) if middle < end else None
                if rights is None or gaps[last] < 0:
                    continue
                num_pairs += len(lefts) * len(rights)
                order = -(self.first_row + middle)
                for right in rights:
                    for left in lefts:
                        steps = steps_of(categories[left], categories[right], gaps[last])
                        num_combinations += bool(steps)
                        for step, cost, result in steps:
                            score = cost + scores[right] + scores[left]
                            yield result, _Step(score, order, step, left, right)
        if num_pairs:
            self.is_over = self.search.spend(self.number, num_pairs, num_combinations)


def _best(steps: list[_Step]) -> _Step:
    """The best way; of equally good ones the first in order."""
    best = steps[0]
    for step in steps[1:]:
        if step.score > best.score or (step.score == best.score and step.order < best.order):
            best = step
    return best
