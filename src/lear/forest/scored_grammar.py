"""What can be built of constituents, with scores: found out and scored when first asked for.

Everything is numbered as it is met and kept in tables of numbers, so that a search looks up many
steps at once. `RuleNumbers` numbers rules: a yield is a prefix and its last part, and a prefix is a
shorter one with one part more, so yields that begin alike share what is known of their beginnings.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lear.algebra.algebra import Meaning
from lear.forest.arrays import GrowingArray, GrowingGrid, Ints, distinct, spread
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import Words
from lear.grammar.rules import Grammar, Rule, symbol_part, word_part

Parts = tuple[str, ...]
NumberedRule = tuple[int, int, int]
"""The numbers of operation, prefix and last part."""


class NumberedRules(NamedTuple):
    """Many rules, as columns of numbers."""

    operation: Ints
    prefix: Ints
    last: Ints

    def where(self, keep: Ints | slice) -> "NumberedRules":
        """Return some of them."""
        return NumberedRules(*(column[keep] for column in self))


class RuleNumbers:
    """Gives operations, parts and prefixes of yields their numbers, as they are met."""

    def __init__(self, operations: Iterable[str] = ()) -> None:
        """Numbers that begin with those of some operations, in their order."""
        self.operations = list(operations)
        self.parts: list[str] = []
        self.shorter: list[int] = [0]
        """Of each prefix, the one without its last part."""
        self.last: list[int] = [-1]
        """Of each prefix, its last part."""
        self.sizes: list[int] = [0]
        """Of each prefix, how many parts it has."""
        self._operation_numbers = {name: number for number, name in enumerate(self.operations)}
        self._part_numbers: dict[str, int] = {}
        self._prefix_numbers: dict[Parts, int] = {(): 0}

    def operation(self, name: str) -> int:
        """Return the number of an operation."""
        return _numbered(name, self._operation_numbers, self.operations)

    def part(self, part: str) -> int:
        """Return the number of a word or of a symbol in brackets."""
        return _numbered(part, self._part_numbers, self.parts)

    def prefix(self, parts: Parts) -> int:
        """Return the number of the beginning of a yield."""
        number = self._prefix_numbers.get(parts)
        if number is None:
            shorter, last = self.prefix(parts[:-1]), self.part(parts[-1])
            number = self._prefix_numbers[parts] = len(self.last)
            self.shorter.append(shorter)
            self.last.append(last)
            self.sizes.append(len(parts))
        return number

    def number(self, rule: Rule) -> NumberedRule:
        """Return a rule in numbers."""
        prefix, last = self.prefix(rule.parts[:-1]), self.part(rule.parts[-1])
        return self.operation(rule.operation), prefix, last

    def columns(self, rules: Iterable[Rule]) -> NumberedRules:
        """Many rules in numbers."""
        numbers = [self.number(rule) for rule in rules]
        return NumberedRules(*np.array(numbers, dtype=np.int64).reshape(-1, 3).T)

    def rule(self, operation: int, prefix: int, last: int) -> Rule:
        """Return the rule that has these numbers."""
        parts = [self.parts[last]]
        while prefix:
            parts.append(self.parts[self.last[prefix]])
            prefix = self.shorter[prefix]
        return Rule(self.operations[operation], tuple(reversed(parts)))


def _numbered(name: str, numbers: dict[str, int], names: list[str]) -> int:
    number = numbers.get(name)
    if number is None:
        number = numbers[name] = len(names)
        names.append(name)
    return number


UNKNOWN, NOTHING = 0, 1
"""In place of a group or a row: nothing was asked yet; nothing can be built."""
NEVER = float("-inf")
NO_GAP = -1


class LegalCombinations:
    """Which operations are legal on categories, in columns.

    A group is all that is legal on one category, or on two: `size` combinations from `begin` on.
    """

    def __init__(self, categories: CategoryTable, numbers: RuleNumbers) -> None:
        self._categories = categories
        self._numbers = numbers
        self._joints_of = categories.domain.syntax.joints or any_joint
        self._joints: dict[int, tuple[int, int]] = {}
        self._of_one = GrowingArray(np.int32)  # groups by category
        self._of_two = GrowingGrid()  # groups by left and right category
        self._symbols = GrowingGrid()  # by category, and whether it is of a head: parts, from 1 on
        self.begin, self.size = GrowingArray(np.int64), GrowingArray(np.int64)
        for column in (self.begin, self.size):
            column.reach(NOTHING + 1)
        self.operation, self.result = GrowingArray(np.int64), GrowingArray(np.int64)
        self.first, self.last = GrowingArray(np.int64), GrowingArray(np.int64)
        """What a rule shows of the first argument and of the last, as numbers of parts."""

    def of_one(self, category: Ints) -> NDArray[np.int32]:
        """Return the groups of what is legal on categories."""
        self._of_one.reach(self._categories.num_categories)
        groups: NDArray[np.int32] = self._of_one.values[category]
        (new,) = np.nonzero(groups == UNKNOWN)
        if len(new):
            # `np.unique` would load numpy.ma, which takes as long as parsing a sentence.
            numbers = np.array(list(dict.fromkeys(category[new].tolist())))
            self._of_one.values[numbers] = self._find([numbers])
            groups = self._of_one.values[category]
        return groups

    def of_two(self, left: Ints, right: Ints) -> Ints:
        """Return the groups of what is legal on pairs of categories."""
        count = self._categories.num_categories
        self._of_two.reach(count, count)
        groups: Ints = self._of_two.cells[left, right]
        (new,) = np.nonzero(groups == UNKNOWN)
        if len(new):
            lefts, rights = distinct(left[new], right[new])
            found = np.full(len(lefts), NOTHING)
            may_join = self._may_join(lefts, rights)
            found[may_join] = self._find([lefts[may_join], rights[may_join]])
            self._of_two.put(lefts, rights, found)
            groups = self._of_two.cells[left, right]
        return groups

    def members(self, group: Ints) -> tuple[Ints, Ints]:
        """Return all combinations of groups: the place of the group, and their numbers."""
        which, offset = spread(self.size.values[group])
        return which, self.begin.values[group][which] + offset

    def _may_join(self, left: Ints, right: Ints) -> NDArray[np.bool_]:
        """Tell which pairs the domain does not rule out at once."""
        for number in {*left.tolist(), *right.tolist()} - self._joints.keys():
            self._joints[number] = self._joints_of(self._categories.example(number))
        joints = self._joints
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return np.array([joints[a][0] & joints[b][1] != 0 for a, b in pairs], dtype=bool)

    def _find(self, arguments: Sequence[Ints]) -> Ints:
        """Ask the domain what is legal on new arguments, and keep it: groups."""
        combinations = self._categories.find_combinations
        found = [combinations(c) for c in zip(*(a.tolist() for a in arguments), strict=True)]
        number = self._numbers.operation
        pairs = [(number(operation), result) for legal in found for operation, result in legal]
        operation, result = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        sizes = np.array(list(map(len, found)), dtype=np.int64)
        (legal,) = np.nonzero(sizes)
        groups = np.full(len(sizes), NOTHING)
        groups[legal] = self.size.size + np.arange(len(legal))
        self.begin.extend(self.result.size + np.cumsum(sizes[legal]) - sizes[legal])
        self.size.extend(sizes[legal])
        self.operation.extend(operation)
        self.result.extend(result)
        by_name = self._categories.domain.syntax.heads
        heads = np.array([by_name.get(name, -1) for name in self._numbers.operations])[operation]
        for column, place in ((self.first, 0), (self.last, len(arguments) - 1)):
            column.extend(self._parts(np.repeat(arguments[place], sizes), heads == place))
        return groups

    def _parts(self, category: Ints, is_head: NDArray[np.bool_]) -> Ints:
        """Return what rules show of arguments: numbers of parts."""
        self._symbols.reach(self._categories.num_categories, 2)
        flags = is_head.astype(np.int64)
        (new,) = np.nonzero(self._symbols.cells[category, flags] == UNKNOWN)
        for number, flag in set(zip(category[new].tolist(), flags[new].tolist(), strict=True)):
            part = symbol_part(self._categories.symbol(number, is_head=bool(flag)))
            self._symbols.put(number, flag, 1 + self._numbers.part(part))
        return self._symbols.cells[category, flags].astype(np.int64) - 1


def any_joint(meaning: Meaning) -> tuple[int, int]:
    """Join everything with everything, where a domain does not tell what can be joined."""
    del meaning
    return 1, 1


class ScoreRules(Protocol):
    """Tells how good rules are."""

    @property
    def numbers(self) -> RuleNumbers:
        """The numbers by which it knows rules."""

    def scores(self, rules: NumberedRules) -> NDArray[np.floating]:
        """Return the scores of rules; minus infinity for rules that are none."""

    def by_member(self, rules: NumberedRules) -> NDArray[np.floating]:
        """Return the same by each of K members of a model, (K, rules)."""


class ScoredGrammar:
    """A grammar whose rules have scores.

    A row is the list of steps that some constituents and gaps allow: `row_begin` and `row_size` say
    where its steps are in `step_score` and `step_result`. A gap is a run of function words; gap 0
    is the empty one.
    """

    def __init__(self, grammar: Grammar, scorer: ScoreRules) -> None:
        self.grammar = grammar
        self.shape = grammar.shape
        self._scorer = scorer
        self._numbers = scorer.numbers
        self._only = None if grammar.only is None else set(map(self._numbers.number, grammar.only))
        self._legal = LegalCombinations(grammar.categories, self._numbers)
        self._gaps: list[Parts] = [()]
        self._gap_numbers: dict[Words, int] = {(): 0}
        self._contexts: list[tuple[int, int]] = [(0, 0)]  # gaps before and after one constituent
        self._context_numbers = GrowingGrid()  # by these gaps
        self._prefixes = GrowingGrid()  # by symbol and the gap behind it
        self._binary_rows = GrowingGrid()  # by group and gap
        self._unary_rows = GrowingGrid()  # by category and context
        self.row_begin, self.row_size = GrowingArray(np.int64), GrowingArray(np.int64)
        for column in (self.row_begin, self.row_size):
            column.reach(NOTHING + 1)
        self.step_score, self.step_result = GrowingArray(np.float64), GrowingArray(np.int64)
        self._step_rules = tuple(GrowingArray(np.int64) for _ in NumberedRules._fields)

    @property
    def num_rules(self) -> int:
        """How many rules it has met, and remembers."""
        return self.step_score.size

    def operation(self, step: int) -> str:
        """Return the operation of a step."""
        return self._numbers.operations[int(self._step_rules[0].values[step])]

    def member_scores(self, steps: Ints) -> NDArray[np.floating]:
        """Return the scores of the rules of steps by each member, (K, n)."""
        rules = NumberedRules(*(column.values[steps] for column in self._step_rules))
        return self._scorer.by_member(self._scored_as(rules)).astype(np.float64)

    def is_complete(self, category: int) -> bool:
        """Return True if meanings of a category can be answers."""
        return self.grammar.categories.is_complete(category)

    def gap_number(self, words: Words) -> int:
        """Return the number of a run of function words; `NO_GAP` if one of them is none."""
        number = self._gap_numbers.get(words)
        if number is None:
            if None in words:
                return NO_GAP
            number = self._gap_numbers[words] = len(self._gaps)
            self._gaps.append(tuple(map(word_part, words)))
        return number

    def pairs(self, left: Ints, right: Ints) -> Ints:
        """Return what is legal on pairs of constituents: groups of `LegalCombinations`."""
        return self._legal.of_two(left, right)

    def binary_rows(self, pairs: Ints, gaps: Ints) -> Ints:
        """Return what can be built of legal pairs with gaps between them: numbers of rows."""
        self._binary_rows.reach(self._legal.size.size, len(self._gaps))
        rows: Ints = self._binary_rows.cells[pairs, gaps]
        (new,) = np.nonzero(rows == UNKNOWN)
        if len(new):
            group, gap = distinct(pairs[new], gaps[new])
            which, combination = self._legal.members(group)
            prefix = self._prefixes_of(self._legal.first.values[combination], gap[which])
            last = self._legal.last.values[combination]
            added = self._add_rows(len(group), which, combination, prefix, last)
            self._binary_rows.put(group, gap, added)
            rows = self._binary_rows.cells[pairs, gaps]
        return rows

    def unary_rows(self, category: Ints, before: Ints, after: Ints) -> Ints:
        """Return what can be built of one constituent and gaps around it: numbers of rows."""
        contexts = self._contexts_of(before, after)
        self._unary_rows.reach(self.grammar.categories.num_categories, len(self._contexts))
        rows: Ints = self._unary_rows.cells[category, contexts]
        (new,) = np.nonzero(rows == UNKNOWN)
        if len(new):
            number, context = distinct(category[new], contexts[new])
            which, combination = self._legal.members(self._legal.of_one(number))
            symbols = self._legal.first.values[combination].tolist()
            yields = self._yields_of(symbols, context[which].tolist())
            added = self._add_rows(len(number), which, combination, *yields)
            self._unary_rows.put(number, context, added)
            rows = self._unary_rows.cells[category, contexts]
        return rows

    def _contexts_of(self, before: Ints, after: Ints) -> Ints:
        """Return the numbers of pairs of gaps."""
        self._context_numbers.reach(len(self._gaps), len(self._gaps))
        contexts: Ints = self._context_numbers.cells[before, after]
        (new,) = np.nonzero(contexts == UNKNOWN)
        if len(new):
            pairs = distinct(before[new], after[new])
            self._context_numbers.put(*pairs, len(self._contexts) + np.arange(len(pairs[0])))
            self._contexts += zip(*(gaps.tolist() for gaps in pairs), strict=True)
            contexts = self._context_numbers.cells[before, after]
        return contexts

    def _prefixes_of(self, symbol: Ints, gap: Ints) -> Ints:
        """Return the beginnings of yields: a symbol and the words behind it."""
        self._prefixes.reach(len(self._numbers.parts), len(self._gaps))
        prefixes: Ints = self._prefixes.cells[symbol, gap]
        (new,) = np.nonzero(prefixes == UNKNOWN)
        if len(new):
            symbols, gaps = distinct(symbol[new], gap[new])
            numbers = [
                self._numbers.prefix((self._numbers.parts[number], *self._gaps[words]))
                for number, words in zip(symbols.tolist(), gaps.tolist(), strict=True)
            ]
            self._prefixes.put(symbols, gaps, numbers)
            prefixes = self._prefixes.cells[symbol, gap]
        return prefixes

    def _yields_of(self, symbols: list[int], contexts: list[int]) -> tuple[Ints, Ints]:
        """Return symbols with words around them: prefixes, and last parts."""
        prefixes, lasts = list[int](), list[int]()
        for symbol, context in zip(symbols, contexts, strict=True):
            before, after = (self._gaps[gap] for gap in self._contexts[context])
            parts = (*before, self._numbers.parts[symbol], *after)
            prefixes.append(self._numbers.prefix(parts[:-1]))
            lasts.append(self._numbers.part(parts[-1]))
        return np.array(prefixes, dtype=np.int64), np.array(lasts, dtype=np.int64)

    def _add_rows(
        self, num_rows: int, row: Ints, combination: Ints, prefix: Ints, last: Ints
    ) -> Ints:
        """Score new rows; return their numbers, or `NOTHING`.

        Args:
            num_rows: How many rows.
            row: Which of them each step is in.
            combination: What each step does.
            prefix: With the last part the yield of its rule.
            last: That part.
        """
        rules = NumberedRules(self._legal.operation.values[combination], prefix, last)
        scored = self._scored_as(rules)
        if self._only is not None:
            triples = zip(*(column.tolist() for column in scored), strict=True)
            (kept,) = np.nonzero([rule in self._only for rule in triples])
            rules, row, combination = rules.where(kept), row[kept], combination[kept]
            scored = scored.where(kept)
        scores = self._scorer.scores(scored)
        (kept,) = np.nonzero(scores > NEVER)
        sizes = np.bincount(row[kept], minlength=num_rows)
        (filled,) = np.nonzero(sizes)
        numbers = np.full(num_rows, NOTHING)
        numbers[filled] = self.row_size.size + np.arange(len(filled))
        ends = self.step_score.size + np.cumsum(sizes[filled])
        self.row_begin.extend(ends - sizes[filled])
        self.row_size.extend(sizes[filled])
        self.step_score.extend(scores[kept])
        self.step_result.extend(self._legal.result.values[combination[kept]])
        for column, values in zip(self._step_rules, rules.where(kept), strict=True):
            column.extend(values)
        return numbers

    def _scored_as(self, rules: NumberedRules) -> NumberedRules:
        """Return the rules that rules are the same as to a model."""
        if self.grammar.categories.domain.syntax.scored_as is None:
            return rules
        triples = zip(*(column.tolist() for column in rules), strict=True)
        return self._numbers.columns(
            self.grammar.scored_as(self._numbers.rule(*triple)) for triple in triples
        )
