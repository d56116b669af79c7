"""A language of terms from training rows: notation, names, types, and what is there unsaid."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec

from lear.benchmark import Example
from lear.domains.terms.argument_order import Argument, argument_order
from lear.domains.terms.evidence import (
    NAME,
    constants_in,
    read_sentence,
)
from lear.domains.terms.form_text import Notation, find_notation
from lear.domains.terms.junctions import find_junction
from lear.domains.terms.language import (
    Fineness,
    Lift,
    OpenClass,
    TermLanguage,
    TermSymbol,
    order_key_of,
)
from lear.domains.terms.literals import KINDS, LiteralKind, literal_kind
from lear.domains.terms.name_kinds import find_name_kinds, never_around
from lear.domains.terms.names import NamePattern, pattern_of, unquoted, usual_pattern
from lear.domains.terms.naming_functions import name_class, name_part, naming_functions
from lear.domains.terms.spoken_places import Places, place_of, spoken_places
from lear.domains.terms.tree import Tree, subtrees
from lear.domains.terms.types import TypeTable, infer_types, key_of
from lear.domains.terms.unsaid_symbols import (
    MIN_SILENT_SHARE,
    doubtful_slots,
    implied_functions,
    silent_shares,
)
from lear.errors import FormError
from lear.lexicon.lexicon import Unit

MIN_QUOTED_NAMES, MIN_NAMES = 2, 3
"""Different names that a class must have for there to be more, where quotes or capitals say that
they are names."""
MIN_UNMARKED_NAMES = 6
"""The same, where nothing does."""
MIN_NEW_NAMES = 0.02
"""Share of names that occur once: about how likely the next one is new (Good and Turing)."""
MIN_CORE_SHARE = 0.95
"""Share of the uses of a function that have an argument of a kind, for it to be the core."""


class Rows(NamedTuple):
    """Training rows as sentences and trees."""

    tokens: list[Unit]
    trees: list[Tree]


def infer_language(
    examples: Sequence[Example], fineness: Fineness, types: TypeTable | None = None
) -> TermLanguage:
    """The language of training rows.

    Args:
        examples: The rows.
        fineness: What the kinds of terms are.
        types: Types that somebody has looked over; else they are worked out.
    """
    notation = find_notation(example.form for example in examples)
    rows = Rows([e.tokens for e in examples], [_read(notation, e) for e in examples])
    names = types.names if types else naming_functions(rows.tokens, rows.trees)
    named = Rows(rows.tokens, [notation.with_names(tree, names) for tree in rows.trees])
    if types is None:
        types = msgspec.structs.replace(infer_types(named.trees), names=names)
    return _Builder(notation, named, types).language(fineness)


def _read(notation: Notation, example: Example) -> Tree:
    try:
        return notation.read(example.form)
    except FormError as error:
        raise FormError(f"{example.source}: {error}") from None


def readable_rows(examples: Sequence[Example]) -> list[Example]:
    """The rows whose forms can be read in the notation that most are written in."""
    notation = find_notation(example.form for example in examples)
    readable = []
    for example in examples:
        with suppress(FormError):
            notation.read(example.form)
            readable.append(example)
    return readable


def _literal_quotes(constants: Sequence[str]) -> dict[LiteralKind, str]:
    """Kind of literal -> what is usually written around it."""
    quotes: dict[LiteralKind, Counter[str]] = {}
    for constant in constants:
        kind = literal_kind(unquoted(constant))
        if kind is not None:
            quote = constant[0] if constant[0] in "'\"" else ""
            quotes.setdefault(kind, Counter())[quote] += 1
    return {kind: max(seen, key=lambda q: seen[q]) for kind, seen in quotes.items()}


def _has_more(notation: Notation, pattern: NamePattern, counts: Counter[str]) -> bool:
    """Whether a class has more names than those that are counted."""
    if notation.kind != "json" and pattern.before.endswith(("'", '"')):  # JSON quotes all words
        return len(counts) >= MIN_QUOTED_NAMES
    if pattern.case != "lower":
        return len(counts) >= MIN_NAMES
    num_once = sum(count == 1 for count in counts.values())
    is_growing = num_once >= MIN_NEW_NAMES * counts.total()
    return is_growing and len(counts) >= MIN_UNMARKED_NAMES


class _Builder:
    """Puts a language together from rows, names and types."""

    def __init__(self, notation: Notation, rows: Rows, types: TypeTable) -> None:
        self.notation, self.rows, self.types = notation, rows, types
        pairs = zip(rows.tokens, rows.trees, strict=True)
        self.sentences = [
            read_sentence(tokens, tree, types.symbols, self.class_of, self.name_of)
            for tokens, tree in pairs
        ]
        shares = silent_shares(self.sentences)
        self.silent = {t for t, share in shares.items() if share >= MIN_SILENT_SHARE}
        self.silent |= doubtful_slots(self.sentences, types, rows.trees)
        self.silent |= implied_functions(self.sentences, rows.trees)
        self.junction = find_junction(types, rows.trees, self.sentences, shares)
        self.name_kinds = find_name_kinds(types, rows.trees, self.class_of)
        spelt = {p for row in self.sentences for _, p in row.found if p.type == NAME}
        self.order_keys = {p.symbol: order_key_of(p.feature) for p in spelt}
        self.uses: dict[str, list[Tree]] = {}
        self.extras: dict[str, list[list[Argument]]] = {}
        places = spoken_places(self.sentences, rows.tokens, rows.trees, types.symbols)
        for tree, where in zip(rows.trees, places, strict=True):
            for inner in subtrees(tree):
                if inner.arguments:
                    self.uses.setdefault(inner.symbol, []).append(inner)
                    self.extras.setdefault(inner.symbol, []).append(self._extras(inner, where))

    def _extras(self, tree: Tree, where: Places) -> list[Argument]:
        """The further arguments of a term, with where they are said."""
        functions = self.types.symbols
        return [
            Argument(
                self.order_keys.get(argument.symbol, key_of(argument)),
                place_of(argument, where, functions),
            )
            for argument in tree.arguments[len(functions[tree.symbol].places) :]
        ]

    def name_of(self, constant: str) -> str:
        """The part of a constant that spells its name."""
        return name_part(self.notation, self.types, constant)

    def class_of(self, constant: str) -> str:
        """What a constant is a name of."""
        return name_class(self.notation, self.types, constant)

    def language(self, fineness: Fineness) -> TermLanguage:
        """The language, with kinds of some fineness."""
        self.fineness = fineness
        symbols = {symbol: self._symbol(symbol) for symbol in self.types.symbols}
        lifts = tuple(self._lifts())
        roots = Counter(self.kind(tree) for tree in self.rows.trees)
        literals = [c for c in constants_in(self.rows.trees) if literal_kind(unquoted(c))]
        times = [c for c in map(unquoted, literals) if literal_kind(c) == "time"]
        return TermLanguage(
            notation=self.notation,
            types=self.types,
            fineness=fineness,
            symbols=symbols,
            root_kinds=tuple(sorted(roots)),
            lifts=lifts,
            junction=self.junction,
            open_classes=tuple(self._open_classes()),
            name_types=self.name_kinds.types,
            name_kinds=self.name_kinds.kinds,
            order_keys=self.order_keys,
            never_around=never_around(self.uses, (lift.symbol for lift in lifts), self.types),
            literal_kinds=tuple(kind for kind in KINDS if kind in self.types.literals),
            pads_hours=all(len(time.partition(":")[0]) > 1 for time in times),
            literal_quotes=_literal_quotes(literals),
        )

    def kind(self, tree: Tree) -> str:
        """The kind of a term."""
        function = self.types.symbols.get(tree.symbol)
        if not tree.arguments and (function is None or function.places):
            known = self.name_kinds.kinds.get(tree.symbol)
            return known or self.types.constant_type(tree.symbol) or tree.symbol
        if tree.arguments and self.types.symbols[tree.symbol].is_transparent:
            return self.kind(tree.arguments[0])
        return self._function_kind(tree.symbol)

    def _function_kind(self, symbol: str) -> str:
        # A type may be named after a symbol: the bracket tells a symbol's own kind apart.
        is_fine = self.fineness == "symbols"
        return f"{symbol}()" if is_fine else self.types.symbols[symbol].result

    def _symbol(self, symbol: str) -> TermSymbol:
        known = self.types.symbols[symbol]
        uses = self.uses.get(symbol, [])
        first = len(known.places)
        places = tuple(
            self.name_kinds.accepted(name, [use.arguments[place] for use in uses])
            for place, name in enumerate(known.places)
        )
        if self.fineness == "symbols":
            places = tuple(
                tuple(sorted(self._shown_kinds([use.arguments[place] for use in uses])))
                for place in range(first)
            )
        extras = [use.arguments[first:] for use in uses]
        counts = [Counter(map(self.kind, arguments)) for arguments in extras]
        all_extras = [use for uses in self.extras.values() for use in uses]
        kinds = dict.fromkeys(kind for count in counts for kind in count)
        return TermSymbol(
            kind=self._function_kind(symbol),
            places=places,
            extras={
                kind: kind in self._constant_kinds or any(count[kind] > 1 for count in counts)
                for kind in kinds
            },
            order=argument_order(self.extras.get(symbol, ()), all_extras) if kinds else {},
            is_transparent=known.is_transparent,
            defaults=self._defaults(uses, first),
        )

    def _shown_kinds(self, arguments: Sequence[Tree]) -> set[str]:
        """The kinds that arguments have, and those of names that may stand there as well."""
        shown = set(map(self.kind, arguments))
        types = {self.name_kinds.types.get(kind, kind) for kind in shown & self._constant_kinds}
        others = {kind for t in types for kind in self.name_kinds.accepted(t, arguments)}
        return shown | (others & set(self.name_kinds.types))

    @property
    def _constant_kinds(self) -> set[str]:
        return {*self.types.constants.values(), *self.name_kinds.types}

    def _defaults(self, uses: Sequence[Tree], num_places: int) -> dict[int, str]:
        """What stands in the places of a function where no word says what does."""
        found = {}
        for place in range(num_places):
            seen = Counter(use.arguments[place] for use in uses)
            unsaid = [tree for tree in seen if not tree.arguments and tree.symbol in self.silent]
            if unsaid:
                found[place] = max(unsaid, key=lambda tree: seen[tree]).symbol
        return found

    def _lifts(self) -> Iterator[Lift]:
        """The functions that may be unsaid, around their core."""
        counts: Counter[Lift] = Counter()
        for symbol, uses in sorted(self.uses.items()):
            known = self.types.symbols[symbol]
            if f"{symbol}(" not in self.silent or known.is_transparent:
                continue
            if known.places:
                place = self._core_place(symbol)
                counts.update(Lift(self.kind(u.arguments[place]), symbol, place) for u in uses)
            else:
                counts.update(self._extra_lifts(symbol, uses))
        yield from sorted(counts, key=lambda lift: (-counts[lift], lift.symbol, lift.kind))

    def _core_place(self, symbol: str) -> int:
        """The place of a function that an unsaid one is recognised by: not that of a literal."""
        places = range(len(self.types.symbols[symbol].places))
        defaults = self._defaults(self.uses[symbol], len(places))
        literals = set(self.types.literals.values())

        def is_poor(place: int) -> bool:
            kinds = {self.kind(use.arguments[place]) for use in self.uses[symbol]}
            return place in defaults or kinds <= literals

        return min(places, key=lambda place: (is_poor(place), place))

    def _extra_lifts(self, symbol: str, uses: Sequence[Tree]) -> Iterator[Lift]:
        having = Counter(kind for use in uses for kind in set(map(self.kind, use.arguments)))
        core = [kind for kind, count in having.items() if count >= MIN_CORE_SHARE * len(uses)]
        for kind in core or having:
            yield from [Lift(kind, symbol, -1)] * having[kind]

    def _open_classes(self) -> Iterator[OpenClass]:
        names: dict[str, Counter[str]] = {}
        for row in self.sentences:
            for _, primitive in row.found:
                if primitive.type == NAME:
                    names.setdefault(primitive.feature, Counter())[primitive.symbol] += 1
        for class_name, counts in sorted(names.items()):
            patterns = [pattern_of(symbol, self.name_of(symbol)) for symbol in sorted(counts)]
            pattern = usual_pattern([p for p in patterns if not p.joiner] or patterns)
            long_names = [p for p in patterns if p.joiner]
            if _has_more(self.notation, pattern, counts):
                first = next(iter(counts))
                known = self.name_kinds.kinds.get(first) or self.types.constant_type(first)
                kind = known or class_name
                long_pattern = usual_pattern(long_names) if long_names else None
                yield OpenClass(class_name, kind, pattern, long_pattern)
