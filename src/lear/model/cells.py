"""The symbolic side of the paper's policy: cells, what can be merged, what a node can become.

A sentence is a row of cells. A cell is a function word, a closed constituent (a nonterminal node),
or an open node: a constituent with function words around it, or a run of words that may become a
unit. Everything is interned as small numbers, so that thousands of rollouts advance by look-ups.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.categories import CategoryTable, Step
from lear.grammar import Analyser
from lear.lexicon import Primitive
from lear.model.config import ModelConfig
from lear.model.nodes import PAIR, SPAN, SYMBOL, TOKEN, WORD, NodeTable
from lear.model.vocabulary import Vocabulary

NONE = -1


class Cell(NamedTuple):
    """One element of a row; `node` is what its upward message is computed from.

    It is a phrase (function words, and a constituent or none), or a run of words that may become a
    unit, or, while nothing decides, both: a function word can also begin a unit.
    """

    node: int
    category: int
    """Of the constituent inside; NONE for words alone."""
    before: int
    """Function words before the constituent, or all of them where there is none."""
    after: int
    words: tuple[str, ...]
    """The words of a run that is not a unit yet; empty where it cannot be one."""

    @property
    def is_phrase(self) -> bool:
        """Whether it may be a phrase."""
        return self.category != NONE or self.before > 0


class Plan(NamedTuple):
    """What a node could become, before it is made: most pairs cannot become anything."""

    open: tuple[int, int, int, tuple[str, ...]] | None
    """Category, before, after and words of the cell, should the node stay open."""
    units: Sequence[tuple[int, tuple[Primitive, ...]]] = ()
    """Primitives by category, should it be lexical."""
    steps: Sequence[Step] = ()
    """Operations, should it be algebraic."""


class Option(NamedTuple):
    """Something a node can become: stay open (class 0) or be a nonterminal with an operation."""

    symbol: int
    """Class of the node: 0 is open."""
    operation: int
    """Number of the operation of an algebraic node; NONE for open and for lexical nodes."""
    cell: int
    choice: int = NONE
    """Of a lexical node whose unit has several primitives: the category of those it stands for."""


class Site(NamedTuple):
    """A node and its options: legal ones only, so that illegal actions have probability zero."""

    node: int
    options: tuple[Option, ...]


class Machine:
    """Interned nodes, cells and sites of one lexicon and algebra; grows as rollouts need it."""

    def __init__(self, analyser: Analyser, config: ModelConfig, vocabulary: Vocabulary) -> None:
        self.analyser = analyser
        self.categories: CategoryTable = analyser.categories
        self.shape = analyser.domain.shape
        self.config = config
        self.operations = vocabulary.operation_numbers
        self.operation_names = vocabulary.operations
        self.words = vocabulary.word_numbers
        self.nodes = NodeTable()
        self.sites: list[Site] = []
        self.num_classes = config.num_classes
        self.symbols = vocabulary.symbol_numbers
        self._cells: list[Cell] = []
        self._cell_numbers: dict[Cell, int] = {}
        self._leaf_sites: dict[tuple[int, str, bool], int] = {}
        self._sentence_sites: dict[tuple[str, ...], list[int]] = {}
        self._pair_sites: dict[int, int] = {}
        self._unit_parts = {
            unit[begin:end]
            for unit in analyser.lexicon.units
            for begin in range(len(unit))
            for end in range(begin + 1, len(unit) + 1)
            if end - begin < len(unit)
        }

    @property
    def size(self) -> int:
        """How much it remembers."""
        return len(self.nodes) + len(self._cells) + len(self._leaf_sites) + len(self._pair_sites)

    def leaf_sites(self, tokens: tuple[str, ...]) -> list[int]:
        """The sites of a sentence's tokens by themselves; NONE for what can be nothing."""
        sites = self._sentence_sites.get(tokens)
        if sites is None:
            view = self.analyser.read(tokens).view
            numbers = [self.words.get(token, 0) for token in view]
            nodes = self._leaf_nodes(numbers)
            is_part = [
                len(unit) > 1 for unit in self.analyser.lexicon.segment(tokens) for _ in unit
            ]
            sites = [
                self._leaf_site(node, token, is_part=flag)
                for node, token, flag in zip(nodes, tokens, is_part, strict=True)
            ]
            if self.config.encoder != "tree":  # its nodes are its own: the same ones each time
                self._sentence_sites[tokens] = sites
        return sites

    def _leaf_nodes(self, words: list[int]) -> list[int]:
        if self.config.encoder == "tree":
            return [self.nodes.number(WORD, word) for word in words]
        sentence = self.nodes.add_sentence(words)
        places = range(len(words))
        if self.config.encoder == "contextual":
            return [self.nodes.number(TOKEN, sentence, place) for place in places]
        return [self.nodes.number(SPAN, sentence, place, place + 1) for place in places]

    def _pair_node(self, left: int, right: int) -> int:
        if self.config.encoder == "span":
            _, sentence, begin, _ = self.nodes.nodes[left]
            return self.nodes.number(SPAN, sentence, begin, self.nodes.nodes[right][3])
        return self.nodes.number(PAIR, left, right)

    def _leaf_site(self, node: int, token: str, *, is_part: bool) -> int:
        # Words never seen share a node, but not what they can be.
        key = (node, token, is_part)
        if key not in self._leaf_sites:
            if is_part:  # of a unit of several words, and nothing by itself
                plan = Plan((NONE, 0, 0, (token,)))
            else:
                unit = self.analyser.unit((token,))
                is_function_word = unit.word is not None
                plan = Plan((NONE, 1, 0, ()) if is_function_word else None, tuple(unit.primitives))
            self._leaf_sites[key] = self._site(node, plan)
        return self._leaf_sites[key]

    def pair_sites(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sites of pairs of neighbouring cells, NONE where they cannot be merged."""
        keys = (left << 32) | right
        distinct, places = np.unique(keys, return_inverse=True)
        numbers = np.array(
            [self.pair_site(key >> 32, key & 0xFFFFFFFF) for key in distinct.tolist()],
            dtype=np.int64,
        )
        found: NDArray[np.int64] = numbers[places.reshape(left.shape)]
        return found

    def pair_site(self, left_number: int, right_number: int) -> int:
        """The site of two neighbouring cells, NONE where they cannot be merged."""
        key = left_number << 32 | right_number
        number = self._pair_sites.get(key)
        if number is None:
            number = self._pair_sites[key] = self._new_pair_site(left_number, right_number)
        return number

    def _new_pair_site(self, left_number: int, right_number: int) -> int:
        left, right = self._cells[left_number], self._cells[right_number]
        plan = self._phrase(left, right) if left.is_phrase and right.is_phrase else Plan(None)
        if left.words and right.words:
            words = left.words + right.words
            entries = self.analyser.lexicon.units.get(words, ())
            units = tuple(self.analyser.by_category(e.primitive for e in entries))
            plan = plan._replace(units=units)
            if words in self._unit_parts:
                category, before, after, _ = plan.open or (NONE, 0, 0, ())
                plan = plan._replace(open=(category, before, after, words))
        if plan == Plan(None):
            return NONE
        return self._site(self._pair_node(left.node, right.node), plan)

    def _phrase(self, left: Cell, right: Cell) -> Plan:
        """Function words and at most two constituents."""
        beside, between = self.shape.beside, self.shape.between
        if left.category != NONE and right.category != NONE:
            # Nothing outside of them, few words between.
            if left.before or right.after or left.after + right.before > between:
                return Plan(None)
            return Plan(None, steps=self.categories.steps((left.category, right.category)))
        if left.category == right.category == NONE:
            total = left.before + right.before
            fits = total <= max(beside, between)
            return Plan((NONE, total, 0, ()) if fits else None)
        if left.category == NONE:
            category, before, after = right.category, left.before + right.before, right.after
        else:
            category, before, after = left.category, left.before, left.after + right.before
        one_sided = (before == 0 and after <= between) or (after == 0 and before <= between)
        may_stay = one_sided or before + after < beside
        closes = before + after <= beside
        return Plan(
            (category, before, after, ()) if may_stay else None,
            steps=self.categories.steps((category,)) if closes else (),
        )

    def _site(self, node: int, plan: Plan) -> int:
        """The site of a node with the options of a plan; NONE if there are none."""
        options = []
        if plan.open is not None:
            options.append(Option(0, NONE, self._cell(Cell(node, *plan.open))))
        is_choice = sum(len(primitives) for _, primitives in plan.units) > 1
        for symbol in range(self.num_classes):
            for category, _ in plan.units:
                cell = self._closed(node, symbol, category)
                options.append(Option(1 + symbol, NONE, cell, category if is_choice else NONE))
            for step in plan.steps:
                cell = self._closed(node, symbol, step.result)
                options.append(Option(1 + symbol, self.operations[step.operation], cell))
        if not options:
            return NONE
        self.sites.append(Site(node, tuple(options)))
        return len(self.sites) - 1

    def _closed(self, node: int, symbol: int, category: int) -> int:
        """The cell of a nonterminal; with abstraction only its symbol goes upwards."""
        if self.config.abstraction and self.config.encoder != "span":
            if self.config.symbols == "typed":
                symbol = self.symbols.get(self.categories.closed(category), 0)
            node = self.nodes.number(SYMBOL, symbol)
        return self._cell(Cell(node, category, 0, 0, ()))

    def _cell(self, cell: Cell) -> int:
        number = self._cell_numbers.get(cell)
        if number is None:
            number = self._cell_numbers[cell] = len(self._cells)
            self._cells.append(cell)
        return number

    def is_answer(self, cell: int) -> bool:
        """Whether a cell over a whole sentence is an answer."""
        found = self._cells[cell]
        alone = not (found.before or found.after or found.words)
        return alone and found.category != NONE and self.categories.is_complete(found.category)
