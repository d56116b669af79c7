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
from lear.grammar.reading import NO_CATEGORY, Reading, SentenceReader
from lear.lexicon.lexicon import Unit
from lear.model.config import ModelConfig, Vocabulary

NONE = -1
OPEN = 0
"""The class of a node that is no nonterminal; nonterminals have the classes from 1 on."""


class Phrase(NamedTuple):
    """What a piece contains: a constituent or none, function words, or words of a unit to be."""

    category: int = NONE
    """Of the constituent inside; NONE for words alone."""
    before: int = 0
    """Function words before the constituent, or all of them where there is none."""
    after: int = 0
    is_trailing: bool = False
    """Whether its last function words are followed by nothing but function words in the sentence;
    only kept where `Shape.after` asks for it."""
    words: Unit = ()
    """Words of a unit that is not whole yet; empty where they are of none."""
    unit: Unit = ()
    """The whole of it."""

    @property
    def is_phrase(self) -> bool:
        """Whether it holds a constituent or function words."""
        return self.category != NONE or self.before > 0


class Piece(NamedTuple):
    """One element of a row."""

    state: int
    """What its upward message is computed from."""
    phrase: Phrase


class Plan(NamedTuple):
    """What a node could become, before it is made: most pairs cannot become anything."""

    open: Phrase | None = None
    """What it would contain, should the node stay open."""
    units: Sequence[tuple[int, tuple[Primitive, ...]]] = ()
    """Primitives by category, should it be lexical."""
    combinations: Sequence[Combination] = ()
    """Operations, should it be algebraic."""


NO_PLAN = Plan()


class Option(NamedTuple):
    """Something a node can become: stay open, or be a nonterminal with an operation."""

    node_class: int
    """The class to be drawn for it; NONE where the lexicon decides and nothing is drawn."""
    operation: int
    """Number of the operation of an algebraic node; NONE for open and for lexical nodes."""
    piece: int
    category: int = NONE
    """Of a leaf whose unit has several candidates: the category of those that it stands for,
    `NO_CATEGORY` where that is nothing."""
    is_open: bool = False


class Leaves(NamedTuple):
    """What the row of a sentence begins with: its tokens, or its units where they are found."""

    points: Sequence[int]
    """Choice points; NONE for what can be nothing."""
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
        """`categories` says which operations are legal; its numbers are those of the reader's."""
        self.reader = reader
        self.categories = categories
        self.shape = reader.domain.syntax.shape
        self.config = config
        self._word_numbers = vocabulary.word_numbers
        self._symbol_numbers = vocabulary.symbol_numbers
        self._operation_numbers = vocabulary.operation_numbers
        self._is_abstract = config.abstraction and config.encoder != "span"
        self._options: dict[tuple[int, tuple[Combination, ...]], tuple[Option, ...]] = {}
        self.states = StateTable()
        self.points: list[ChoicePoint] = []
        self._pieces: list[Piece] = []
        self._piece_numbers: dict[Piece, int] = {}
        self._leaf_points: dict[tuple[int, Unit, Unit, bool], int] = {}
        self._sentence_leaves: dict[tuple[str, ...], Leaves] = {}
        self._pair_points: dict[int, int] = {}

    @property
    def size(self) -> int:
        """How much it remembers."""
        num_points = len(self._leaf_points) + len(self._pair_points)
        return len(self.states) + len(self._pieces) + num_points

    def leaves(self, tokens: tuple[str, ...]) -> Leaves:
        """What the row of a sentence begins with."""
        leaves = self._sentence_leaves.get(tokens)
        if leaves is None:
            reading = self.reader.read(tokens)
            words = [self._word_numbers.get(token, 0) for token in reading.view]
            states = self._token_states(words)
            trailing = self._trailing_begin(reading)
            points, begins = [], [0]
            for words_of_leaf, unit in self._first_pieces(tokens):
                begin, end = begins[-1], begins[-1] + len(words_of_leaf)
                state = reduce(self._pair_state, states[begin:end])
                points.append(self._leaf_point(state, words_of_leaf, unit, begin >= trailing))
                begins.append(end)
            leaves = Leaves(points, begins)
            if self.config.encoder != "tree":  # its states are its own: the same ones each time
                self._sentence_leaves[tokens] = leaves
        return leaves

    def _first_pieces(self, tokens: tuple[str, ...]) -> Iterator[tuple[Unit, Unit]]:
        """The words of each leaf with their unit: all of them, or one of those to be merged."""
        lexicon = self.reader.lexicon
        for unit in self.reader.segment(tokens):
            # What the domain has joined is in no lexicon, and is never built of words.
            is_listed = len(unit) > 1 and lexicon.masked(unit) in lexicon.units
            if self.config.units == "composed" and is_listed:
                yield from (((word,), unit) for word in unit)
            else:
                yield unit, unit

    def _trailing_begin(self, reading: Reading) -> int:
        """The first token from which on there are only function words, where that matters."""
        if self.shape.after:  # then it does not matter what follows a word
            return len(reading.tokens)
        return trailing_begin(reading.skeleton.is_function_word)

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

    def _leaf_point(self, state: int, words: Unit, unit: Unit, is_trailing: bool) -> int:  # noqa: FBT001
        """The choice point of a unit, or of a word that is part of one."""
        # Words never seen share a state, but not what they can be.
        key = (state, words, unit, is_trailing)
        if key not in self._leaf_points:
            # A part of a unit is nothing by itself.
            part = Plan(Phrase(words=words, unit=unit))
            plan = self._leaf_plan(unit, is_trailing=is_trailing) if words == unit else part
            self._leaf_points[key] = self._point(state, plan)
        return self._leaf_points[key]

    def _leaf_plan(self, unit: Unit, *, is_trailing: bool) -> Plan:
        """What a unit can be: something that it stands for, or a function word."""
        reading = self.reader.unit(unit)
        primitives = dict(reading.primitives)
        is_offered = primitives.pop(NO_CATEGORY, None) is not None
        word = Phrase(before=1, is_trailing=is_trailing)
        is_word = is_offered or reading.word is not None
        return Plan(word if is_word else None, tuple(primitives.items()))

    @property
    def num_operations(self) -> int:
        """How many operations the algebra has."""
        return len(self._operation_numbers)

    def pair_points(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        """The choice points of pairs of neighbouring pieces, NONE where they cannot be merged."""
        keys = (left << 32) | right
        distinct, places = np.unique(keys, return_inverse=True)
        numbers = np.array(
            [self.pair_point(key >> 32, key & 0xFFFFFFFF) for key in distinct.tolist()],
            dtype=np.int64,
        )
        points: NDArray[np.int64] = numbers[places.reshape(left.shape)]
        return points

    def pair_point(self, left_number: int, right_number: int) -> int:
        """The choice point of two neighbouring pieces, NONE where they cannot be merged."""
        key = left_number << 32 | right_number
        number = self._pair_points.get(key)
        if number is None:
            left, right = self._pieces[left_number], self._pieces[right_number]
            plan = self._merged(left.phrase, right.phrase)
            number = NONE
            if plan != NO_PLAN:
                number = self._point(self._pair_state(left.state, right.state), plan)
            self._pair_points[key] = number
        return number

    def _merged(self, left: Phrase, right: Phrase) -> Plan:
        """What two neighbours can become together."""
        if left.words and left.unit == right.unit:
            return self._words_of_unit(left.words + right.words, left.unit)
        if left.is_phrase and right.is_phrase:
            is_free = self.config.merging == "free"
            return self._anything(left, right) if is_free else self._phrase(left, right)
        return NO_PLAN

    def _words_of_unit(self, words: Unit, unit: Unit) -> Plan:
        """What words of one unit can become: the unit, or part of it."""
        if words == unit:
            return Plan(units=self._leaf_plan(unit, is_trailing=False).units)
        begins = range(len(unit) - len(words) + 1)
        is_run = any(unit[begin : begin + len(words)] == words for begin in begins)
        return Plan(Phrase(words=words, unit=unit)) if is_run else NO_PLAN

    def _anything(self, left: Phrase, right: Phrase) -> Plan:
        """Two constituents are combined at once; a node with one or none stays open."""
        if left.category != NONE and right.category != NONE:
            pair = (left.category, right.category)
            return Plan(combinations=self.categories.combinations(pair))
        # How many words there are does not matter, and only the state tells which.
        category = max(left.category, right.category)
        return Plan(Phrase(category) if category != NONE else Phrase(before=1))

    def _phrase(self, left: Phrase, right: Phrase) -> Plan:
        """Function words and at most two constituents together, as `Shape` allows."""
        shape = self.shape
        if left.category != NONE and right.category != NONE:
            has_words_outside = left.before or right.after
            if has_words_outside or not shape.allows_binary(left.after + right.before):
                return NO_PLAN
            pair = (left.category, right.category)
            return Plan(combinations=self.categories.combinations(pair))
        if left.category == right.category == NONE:
            total = left.before + right.before
            fits = total <= shape.max_words
            # Where nothing but function words follows the first, nothing else follows the last.
            words = Phrase(before=total, is_trailing=left.is_trailing)
            return Plan(words if fits else None)
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
        """The choice point of a node with the options of a plan; NONE if there are none."""
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
        """To be an algebraic node; with abstraction, the same pieces whatever the node's state."""
        key = (-1 if self._is_abstract else state, tuple(combinations))
        options = self._options.get(key)
        if options is None:
            options = self._options[key] = tuple(
                Option(
                    node_class,
                    self._operation_numbers[operation],
                    self._nonterminal(state, node_class, category),
                )
                for node_class in range(1, 1 + self.config.num_classes)
                for operation, category in combinations
            )
        return options

    def _leaf_options(self, state: int, plan: Plan) -> Iterator[Option]:
        """To stay open, or to be a lexical node."""
        num_candidates = sum(len(primitives) for _, primitives in plan.units)
        decides_nothing = self.config.nothing == "interpreter" and num_candidates > 0
        num_candidates += decides_nothing and plan.open is not None
        is_choice = num_candidates > 1
        if plan.open is not None:
            piece = self._piece(Piece(state, plan.open))
            drawn, category = (NONE, NO_CATEGORY) if decides_nothing else (OPEN, NONE)
            yield Option(drawn, NONE, piece, category, is_open=True)
        is_typed = self.config.leaf_symbols == "typed"
        for node_class in range(1, 1 + self.config.num_classes):
            for category, _ in plan.units:
                if not is_typed or node_class == self._leaf_class(category):
                    piece = self._nonterminal(state, node_class, category)
                    drawn = NONE if is_typed else node_class
                    yield Option(drawn, NONE, piece, category if is_choice else NONE)

    def _leaf_class(self, category: int) -> int:
        """The class of leaves of a category: there is a symbol for each type of leaf."""
        return 1 + self._symbol_numbers.get(self.categories.argument_symbol(category), 0)

    def _nonterminal(self, state: int, node_class: int, category: int) -> int:
        """The piece of a nonterminal; with abstraction only its symbol goes upwards."""
        if self._is_abstract:
            symbol = node_class - 1
            if self.config.symbols == "typed":
                name = self.categories.argument_symbol(category)
                symbol = self._symbol_numbers.get(name, 0)
            state = self.states.number(SYMBOL, symbol)
        return self._piece(Piece(state, Phrase(category)))

    def _piece(self, piece: Piece) -> int:
        number = self._piece_numbers.get(piece)
        if number is None:
            number = self._piece_numbers[piece] = len(self._pieces)
            self._pieces.append(piece)
        return number

    def is_answer(self, piece: int) -> bool:
        """Whether a piece over a whole sentence is an answer."""
        phrase = self._pieces[piece].phrase
        is_bare = phrase == Phrase(phrase.category) and phrase.category != NONE
        return is_bare and self.categories.is_complete(phrase.category)
