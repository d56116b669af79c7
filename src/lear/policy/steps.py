"""The transition system of the paper's policy: what can be merged, what a node can become.

A sentence is a row of pieces. A piece is a function word, a nonterminal (a finished constituent),
or an open node: a constituent with function words around it, or a run of words that may become a
unit. Everything is interned as small numbers, so that thousands of rollouts advance by look-ups.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.algebra.algebra import Primitive
from lear.domain import trailing_begin
from lear.grammar.categories import CategoryTable, Combination
from lear.grammar.reading import NO_CATEGORY, SentenceReader
from lear.lexicon.lexicon import Unit
from lear.model.config import ModelConfig, Vocabulary

NONE = -1
OPEN = 0
"""The class of a node that is no nonterminal; nonterminals have the classes from 1 on."""


class Phrase(NamedTuple):
    """What a piece contains: a constituent with function words, or some words of a unit."""

    category: int = NONE
    """The category of the constituent; NONE for words alone."""
    before: int = 0
    """The number of function words before the constituent, or of all where there is none."""
    after: int = 0
    is_trailing: bool = False
    """True if nothing but function words follows its last ones in the sentence; only kept where
    `Shape.after` asks for it."""
    words: Unit = ()
    """The words of a unit that is not whole yet."""
    unit: Unit = ()
    """The whole unit."""


class Piece(NamedTuple):
    """One element of a row: the state that it passes upwards, and its content."""

    state: int
    phrase: Phrase


class Plan(NamedTuple):
    """What a node could become, before it is made: most pairs cannot become anything."""

    open: Phrase | None = None
    """Its content, should it stay open."""
    units: Sequence[tuple[int, tuple[Primitive, ...]]] = ()
    """The primitives of each category, should it be lexical."""
    combinations: Sequence[Combination] = ()
    """The operations, should it be algebraic."""


NO_PLAN = Plan()


class Option(NamedTuple):
    """What a node can become: it stays open, or is a nonterminal with an operation."""

    node_class: int
    """The class to be drawn for it; NONE where the lexicon decides and nothing is drawn."""
    operation: int
    """The number of an algebraic node's operation; NONE for open and for lexical nodes."""
    piece: int
    category: int = NONE
    """The category of a leaf whose unit has several candidates; NO_CATEGORY if it means nothing."""
    is_open: bool = False


class Leaves(NamedTuple):
    """The row of a sentence at first: its tokens, or its units where they are found."""

    points: Sequence[int]
    """Choice points; NONE for what can become nothing."""
    begins: Sequence[int]
    """Where each one begins, and the number of tokens at the end."""


class ChoicePoint(NamedTuple):
    """A node and its options: legal ones only, so that illegal actions have probability zero."""

    state: int
    options: tuple[Option, ...]


SYMBOL, WORD, TOKEN, SPAN, PAIR = range(5)
"""Kinds of states."""

StateKey = tuple[int, int, int]
"""Kind, and up to two numbers; what is missing is 0. Tokens are counted over all sentences.

(SYMBOL, symbol) and (WORD, word) are states of their own; (TOKEN, token) is a token in its
sentence, (SPAN, begin, end) a span in its sentence, and (PAIR, left state, right state) the parent
of two nodes by the Tree-LSTM.
"""


class StateTable:
    """What network states are computed from, by number; children have smaller numbers.

    With semantic locality that is the words and symbols of the node alone, so equal nodes anywhere
    in a batch share one state. Without locality a state belongs to a sentence, and is shared by the
    samples of that sentence only.
    """

    def __init__(self) -> None:
        self.keys: list[StateKey] = []
        self.sentences: list[Sequence[int]] = []
        """The sentences that states refer to, as numbers of words."""
        self._levels: list[int] = []  # 0 without children, else one more than the higher of them
        self.first_tokens = [0]
        """The number of each sentence's first token, and of the next one's."""
        self._numbers: dict[StateKey, int] = {}

    def __len__(self) -> int:
        return len(self.keys)

    def number(self, kind: int, first: int, second: int = 0) -> int:
        """Return the number of a state, old or new."""
        key = (kind, first, second)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.keys)
            self.keys.append(key)
            levels = self._levels
            levels.append(1 + max(levels[first], levels[second]) if kind == PAIR else 0)
        return number

    def add_sentence(self, words: Sequence[int]) -> range:
        """Add a sentence; return the numbers of its tokens."""
        self.sentences.append(words)
        self.first_tokens.append(self.first_tokens[-1] + len(words))
        return range(*self.first_tokens[-2:])

    def groups_from(self, first: int) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
        """Return the states from a number on, in an order in which they can be computed.

        Returns:
            Where each of them comes in that order, from 0; and their keys in groups of one kind,
            (n, 3), in which no state needs another of its group.
        """
        keys = np.array(self.keys[first:], dtype=np.int64)
        groups = np.array(self._levels[first:]) * PAIR + keys[:, 0]
        order = np.argsort(groups, kind="stable")
        borders = np.nonzero(np.diff(groups[order]))[0] + 1
        return np.argsort(order, kind="stable"), np.split(keys[order], borders)


class TransitionSystem:
    """Interned states, pieces and choice points; grows as rollouts need it."""

    def __init__(
        self,
        reader: SentenceReader,
        categories: CategoryTable,
        config: ModelConfig,
        vocabulary: Vocabulary,
    ) -> None:
        """Begin empty; `categories` says what is legal, and has the numbers of the reader's."""
        self.reader = reader
        self.categories = categories
        self.shape = reader.domain.syntax.shape
        self.config = config
        self._word_numbers = vocabulary.word_numbers
        self._symbol_numbers = vocabulary.symbol_numbers
        self._operation_numbers = vocabulary.operation_numbers
        self._classes = range(1, 1 + config.num_classes)
        self._is_abstract = config.abstraction and config.encoder != "span"
        self._options: dict[tuple[int, tuple[Combination, ...]], tuple[Option, ...]] = {}
        self.states = StateTable()
        self.points: list[ChoicePoint] = []
        self._pieces: list[Piece] = []
        self._piece_numbers: dict[Piece, int] = {}
        self._leaf_points: dict[tuple[int, Unit, Unit, bool], int] = {}
        self._sentence_leaves: dict[tuple[str, ...], Leaves] = {}
        self._pair_points: dict[tuple[int, int], int] = {}

    @property
    def size(self) -> int:
        """The number of states, pieces and choice points that it remembers."""
        num_points = len(self._leaf_points) + len(self._pair_points)
        return len(self.states) + len(self._pieces) + num_points

    def leaves(self, tokens: tuple[str, ...]) -> Leaves:
        """Return the row of a sentence at first."""
        leaves = self._sentence_leaves.get(tokens)
        if leaves is not None:
            return leaves
        reading = self.reader.read(tokens)
        states = self._token_states([self._word_numbers.get(token, 0) for token in reading.view])
        # The first token from which on there are only function words, where that matters.
        is_word = reading.skeleton.is_function_word
        trailing = len(tokens) if self.shape.after else trailing_begin(is_word)
        points, begins = [], [0]
        for words, unit in self._first_pieces(tokens):
            begin, end = begins[-1], begins[-1] + len(words)
            state = reduce(self._pair_state, states[begin:end])
            points.append(self._leaf_point(state, words, unit, is_trailing=begin >= trailing))
            begins.append(end)
        leaves = Leaves(points, begins)
        if self.config.encoder != "tree":  # its states are its own: the same ones each time
            self._sentence_leaves[tokens] = leaves
        return leaves

    def _first_pieces(self, tokens: tuple[str, ...]) -> Iterator[tuple[Unit, Unit]]:
        """Give the words of each leaf with their unit: all of them, or one that is to be merged."""
        lexicon = self.reader.lexicon
        for unit in self.reader.segment(tokens):
            # What the domain has joined is in no lexicon, and is never built of words.
            is_listed = len(unit) > 1 and lexicon.masked(unit) in lexicon.units
            if self.config.units == "composed" and is_listed:
                yield from (((word,), unit) for word in unit)
            else:
                yield unit, unit

    def _token_states(self, words: list[int]) -> list[int]:
        if self.config.encoder == "tree":
            return [self.states.number(WORD, word) for word in words]
        tokens = self.states.add_sentence(words)
        if self.config.encoder == "contextual":
            return [self.states.number(TOKEN, token) for token in tokens]
        return [self.states.number(SPAN, token, token + 1) for token in tokens]

    def _pair_state(self, left: int, right: int) -> int:
        if self.config.encoder == "span":
            (_, begin, _), (_, _, end) = self.states.keys[left], self.states.keys[right]
            return self.states.number(SPAN, begin, end)
        return self.states.number(PAIR, left, right)

    def _leaf_point(self, state: int, words: Unit, unit: Unit, *, is_trailing: bool) -> int:
        """Return the choice point of a unit, or of a word that is part of one."""
        # Words never seen share a state, but not what they can be.
        key = (state, words, unit, is_trailing)
        if key not in self._leaf_points:
            plan = Plan(Phrase(words=words, unit=unit))  # a part of a unit is nothing by itself
            if words == unit:
                plan = self._leaf_plan(unit, is_trailing=is_trailing)
            self._leaf_points[key] = self._point(state, plan)
        return self._leaf_points[key]

    def _leaf_plan(self, unit: Unit, *, is_trailing: bool) -> Plan:
        """Plan what a unit can be: something that it stands for, or a function word."""
        reading = self.reader.unit(unit)
        primitives = dict(reading.primitives)
        is_offered = primitives.pop(NO_CATEGORY, None) is not None
        word = Phrase(before=1, is_trailing=is_trailing)
        is_word = is_offered or reading.word is not None
        return Plan(word if is_word else None, tuple(primitives.items()))

    def pair_points(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the choice points of pairs of neighbours, (n,); NONE where they cannot merge."""
        distinct, places = np.unique((left << 32) | right, return_inverse=True)
        pairs = ((key >> 32, key & 0xFFFFFFFF) for key in distinct.tolist())
        numbers = [self.pair_point(*pair) for pair in pairs]
        points: NDArray[np.int64] = np.array(numbers, dtype=np.int64)[places]
        return points

    def pair_point(self, left_number: int, right_number: int) -> int:
        """Return the choice point of two neighbouring pieces, NONE where they cannot merge."""
        key = left_number, right_number
        if key not in self._pair_points:
            left, right = self._pieces[left_number], self._pieces[right_number]
            plan, number = self._merged(left.phrase, right.phrase), NONE
            if plan != NO_PLAN:
                number = self._point(self._pair_state(left.state, right.state), plan)
            self._pair_points[key] = number
        return self._pair_points[key]

    def _merged(self, left: Phrase, right: Phrase) -> Plan:
        """Plan what two neighbours can become together."""
        if left.words and left.unit == right.unit:
            return self._words_of_unit(left.words + right.words, left.unit)
        if left.words or right.words:
            return NO_PLAN
        is_free = self.config.merging == "free"
        return self._anything(left, right) if is_free else self._phrase(left, right)

    def _words_of_unit(self, words: Unit, unit: Unit) -> Plan:
        """Plan what words of one unit can become: the unit, or a part of it."""
        if words == unit:
            return Plan(units=self._leaf_plan(unit, is_trailing=False).units)
        begins = range(len(unit) - len(words) + 1)
        is_run = any(unit[begin : begin + len(words)] == words for begin in begins)
        return Plan(Phrase(words=words, unit=unit)) if is_run else NO_PLAN

    def _anything(self, left: Phrase, right: Phrase) -> Plan:
        """Combine two constituents at once; a node with one or none stays open."""
        if left.category != NONE and right.category != NONE:
            pair = (left.category, right.category)
            return Plan(combinations=self.categories.combinations(pair))
        # How many words there are does not matter, and only the state tells which.
        category = max(left.category, right.category)
        return Plan(Phrase(category) if category != NONE else Phrase(before=1))

    def _phrase(self, left: Phrase, right: Phrase) -> Plan:
        """Put function words and at most two constituents together, as `Shape` allows."""
        shape = self.shape
        if left.category != NONE and right.category != NONE:
            has_words_outside = left.before or right.after
            if has_words_outside or not shape.allows_binary(left.after + right.before):
                return NO_PLAN
            pair = (left.category, right.category)
            return Plan(combinations=self.categories.combinations(pair))
        if left.category == right.category == NONE:
            # Where nothing but function words follows the first, nothing else follows the last.
            words = Phrase(before=left.before + right.before, is_trailing=left.is_trailing)
            return Plan(words if words.before <= shape.max_words else None)
        if left.category == NONE:
            merged = right._replace(before=left.before + right.before)
        else:
            is_trailing = left.is_trailing if left.after else right.is_trailing
            after = left.after + right.before
            merged = left._replace(after=after, is_trailing=is_trailing)
        category, before, after, is_trailing = merged[:4]
        is_unary = shape.allows_unary(before, after, is_trailing=is_trailing)
        is_one_sided = not before or not after
        may_become_binary = is_one_sided and shape.allows_binary(before + after)
        has_room = shape.leaves_room(before, after, is_trailing=is_trailing)
        return Plan(
            merged if may_become_binary or has_room else None,
            combinations=self.categories.combinations((category,)) if is_unary else (),
        )

    def _point(self, state: int, plan: Plan) -> int:
        """Make the choice point of a node with the options of a plan; NONE if there are none."""
        options = self._algebraic_options(state, plan.combinations)
        if plan.open is not None or plan.units:
            options = (*self._leaf_options(state, plan), *options)
        if not options:
            return NONE
        self.points.append(ChoicePoint(state, options))
        return len(self.points) - 1

    def _algebraic_options(
        self, state: int, combinations: Sequence[Combination]
    ) -> tuple[Option, ...]:
        """Give the options of algebraic nodes; with abstraction, for all states the same ones."""
        key = (NONE if self._is_abstract else state, tuple(combinations))
        if key not in self._options:
            self._options[key] = tuple(
                Option(node_class, self._operation_numbers[operation], piece)
                for node_class in self._classes
                for operation, category in combinations
                for piece in (self._nonterminal(state, node_class, category),)
            )
        return self._options[key]

    def _leaf_options(self, state: int, plan: Plan) -> Iterator[Option]:
        """Give the options of leaves: to stay open, or to be a lexical node."""
        num_candidates = sum(len(primitives) for _, primitives in plan.units)
        decides_nothing = self.config.nothing == "interpreter" and num_candidates > 0
        num_candidates += decides_nothing and plan.open is not None
        is_choice = num_candidates > 1
        if plan.open is not None:
            piece = self._piece(Piece(state, plan.open))
            drawn, category = (NONE, NO_CATEGORY) if decides_nothing else (OPEN, NONE)
            yield Option(drawn, NONE, piece, category, is_open=True)
        is_typed = self.config.leaf_symbols == "typed"
        for node_class in self._classes:
            for category, _ in plan.units:
                if not is_typed or node_class == self._leaf_class(category):
                    piece = self._nonterminal(state, node_class, category)
                    drawn = NONE if is_typed else node_class
                    yield Option(drawn, NONE, piece, category if is_choice else NONE)

    def _leaf_class(self, category: int) -> int:
        """Return the class of leaves of a category: there is a symbol for each type of leaf."""
        return 1 + self._symbol_numbers.get(self.categories.argument_symbol(category), 0)

    def _nonterminal(self, state: int, node_class: int, category: int) -> int:
        """Make the piece of a nonterminal; with abstraction only its symbol goes upwards."""
        if self._is_abstract:
            symbol = node_class - 1
            if self.config.symbols == "typed":
                name = self.categories.argument_symbol(category)
                symbol = self._symbol_numbers.get(name, 0)
            state = self.states.number(SYMBOL, symbol)
        return self._piece(Piece(state, Phrase(category)))

    def _piece(self, piece: Piece) -> int:
        number = self._piece_numbers.setdefault(piece, len(self._pieces))
        if number == len(self._pieces):
            self._pieces.append(piece)
        return number

    def is_answer(self, piece: int) -> bool:
        """True if a piece over a whole sentence is an answer."""
        phrase = self._pieces[piece].phrase
        is_bare = phrase == Phrase(phrase.category) and phrase.category != NONE
        return is_bare and self.categories.is_complete(phrase.category)
