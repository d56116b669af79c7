"""Three notations of terms, `f(a, g(b))`, `(f a (g b))` and JSON, each read and printed exactly.

A file keeps to one notation and one way of spacing, which are found by looking at its forms.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from lear.domains.terms.literals import literal_kind
from lear.domains.terms.names import unquoted
from lear.domains.terms.tree import Tree
from lear.errors import FormError

MAX_LEVELS = 100
"""Levels of nested terms."""
OBJECT, LIST = "{}", "[]"
"""The symbols of what JSON writes in brackets."""
_STRING = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_CALL_TOKEN = re.compile(rf"\s*({_STRING}|[(),]|[^\s(),'\"][^(),]*)")
_LIST_TOKEN = re.compile(rf"\s*({_STRING}|[()]|[^\s()'\"]+)")
_CALL_SPACING = re.compile(rf"{_STRING}|(\s*)(\)|[(,]\s*)")

_JSON_KEY = re.compile(r"\"(?:[^\"\\]|\\.)*\":")


class Notation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the forms of a language are written."""

    kind: Literal["calls", "lists", "json"] = "calls"
    opening: str = "("
    """Between a function and its first argument, with spaces."""
    separator: str = ", "
    """Between two arguments; in JSON between two values."""
    closing: str = ")"
    """After the last argument."""
    colon: str = ": "
    """In JSON between a key and its value."""
    ascii_only: bool = False
    """In JSON whether other letters are written as escapes."""

    def read(self, form: str) -> Tree:
        """The tree of a form. Raises `FormError`."""
        if self.kind == "json":
            return _read_json(form)
        return _CallReader(form).whole() if self.kind == "calls" else _ListReader(form).whole()

    def read_constant(self, text: str) -> Tree:
        """The tree of a constant of `with_names`, in JSON perhaps a key with its value.

        Raises `FormError`.
        """
        if self.kind == "json" and _JSON_KEY.match(text):
            return _read_json(f"{{{text}}}").arguments[0]
        return self.read(text)

    def render(self, tree: Tree) -> str:
        """The form of a tree."""
        if self.kind == "json":
            return self._render_json(tree)
        return self._render_call(tree) if self.kind == "calls" else _render_list(tree)

    def with_names(self, tree: Tree, functions: Mapping[str, int]) -> Tree:
        """A tree in which calls of some functions are constants, written as here.

        Args:
            tree: The tree.
            functions: The functions, each with the argument that spells the name. Where that is a
                literal, the call is no name: `=(color, red)` may be one, `=(price, 5)` is none.
        """
        if not tree.arguments:
            return tree
        place = functions.get(tree.symbol, len(tree.arguments))
        if place < len(tree.arguments) and not literal_kind(unquoted(tree.arguments[place].symbol)):
            return Tree(self.render(tree))
        return Tree(tree.symbol, tuple(self.with_names(a, functions) for a in tree.arguments))

    def _render_call(self, tree: Tree) -> str:
        if not tree.arguments:
            return tree.symbol
        inside = self.separator.join(map(self._render_call, tree.arguments))
        return f"{tree.symbol}{self.opening}{inside}{self.closing}"

    def _render_json(self, tree: Tree) -> str:
        if tree.symbol == LIST:
            return f"[{self.separator.join(map(self._render_json, tree.arguments))}]"
        if tree.symbol == OBJECT:
            return f"{{{self.separator.join(map(self._render_json, tree.arguments))}}}"
        text = _escaped(tree.symbol) if self.ascii_only else tree.symbol
        if not tree.arguments:
            return text
        return f"{text[:-1]}{self.colon}{self._render_json(tree.arguments[0])}"


def find_notation(forms: Iterable[str]) -> Notation:
    """The notation that most of these forms are written in."""
    forms = [form.strip() for form in forms]
    kinds = Counter(map(_kind_of, forms))
    kind = max(kinds, key=lambda kind: kinds[kind], default="calls")
    if kind == "calls":
        return _call_notation(forms)
    return Notation("lists") if kind == "lists" else _json_notation(forms)


def _kind_of(form: str) -> Literal["calls", "lists", "json"]:
    if form.startswith("("):
        return "lists"
    return "json" if form.startswith(("{", "[", '"')) else "calls"


def _call_notation(forms: Iterable[str]) -> Notation:
    spacings: dict[str, Counter[str]] = {mark: Counter() for mark in "(,)"}
    for form in forms:
        for match in _CALL_SPACING.finditer(form):
            before, mark = match.groups()
            if mark:
                spacings[mark[0]][before + mark] += 1
    usual = {mark: max(seen, key=lambda s: seen[s]) for mark, seen in spacings.items() if seen}
    return Notation("calls", usual.get("(", "("), usual.get(",", ", "), usual.get(")", ")"))


def _json_notation(forms: Iterable[str]) -> Notation:
    styles = [
        Notation("json", separator=separator, colon=colon, ascii_only=ascii_only)
        for separator, colon in ((", ", ": "), (",", ":"), (", ", ":"), (",", ": "))
        for ascii_only in (False, True)
    ]
    hits = Counter(dict.fromkeys(range(len(styles)), 0))
    for form in list(forms)[:1000]:
        try:
            tree = _read_json(form)
        except FormError:
            continue
        hits.update(n for n, style in enumerate(styles) if style.render(tree) == form)
    return styles[max(hits, key=lambda n: hits[n])]


class _Reader:
    """Shift and reduce over the tokens of a form; brackets cost no depth of Python's stack."""

    def __init__(self, form: str, token: re.Pattern[str]) -> None:
        self.form = form.strip()
        self.token = token
        self.place = 0

    def tokens(self) -> Iterable[str]:
        """The marks and atoms of the form, in order."""
        while self.place < len(self.form):
            match = self.token.match(self.form, self.place)
            if match is None:
                raise self.error("a quote is not closed")
            yield match[1].strip()
            self.place = match.end()

    def error(self, cause: str) -> FormError:
        """An error that shows the form at the current place."""
        rest = self.form[self.place :].strip()
        return FormError(f"{cause}, at {rest[:20]!r}" if rest else f"{cause}, at the end")


class _CallReader(_Reader):
    def __init__(self, form: str) -> None:
        super().__init__(form, _CALL_TOKEN)
        self.levels: list[tuple[str, list[Tree]]] = [("", [])]
        """Functions whose brackets are open, with their arguments so far."""
        self.name: str | None = None
        """An atom that may turn out to be a function."""
        self.wants_term = True

    def whole(self) -> Tree:
        """The one term of the form."""
        for token in self.tokens():
            if token == "(":
                self._open()
            elif token in ",)":
                self._end_argument(is_last=token == ")")
            elif self.wants_term and self.name is None:
                self.name, self.wants_term = token, False
            else:
                raise self.error("a comma is missing")
        if len(self.levels) > 1:
            raise self.error(f"the bracket of {self.levels[-1][0]!r} is not closed")
        terms = [*self.levels[0][1], *([Tree(self.name)] if self.name is not None else [])]
        if len(terms) != 1:
            raise self.error("not one term" if terms else "the form is empty")
        return terms[0]

    def _open(self) -> None:
        if self.name is None:
            raise self.error("a bracket without a function before it")
        if len(self.levels) > MAX_LEVELS:
            raise FormError(f"nested in more than {MAX_LEVELS} levels")
        self.levels.append((self.name, []))
        self.name, self.wants_term = None, True

    def _end_argument(self, *, is_last: bool) -> None:
        function, arguments = self.levels[-1]
        if len(self.levels) == 1:
            raise self.error("a comma or a bracket outside of all brackets")
        if self.name is not None:
            arguments.append(Tree(self.name))
        elif self.wants_term and (arguments or not is_last):
            raise self.error("an argument is missing")
        self.name, self.wants_term = None, not is_last
        if is_last:
            self.levels.pop()
            tree = Tree(function, tuple(arguments)) if arguments else Tree(f"{function}()")
            self.levels[-1][1].append(tree)


class _ListReader(_Reader):
    def __init__(self, form: str) -> None:
        super().__init__(form, _LIST_TOKEN)

    def whole(self) -> Tree:
        """The one term of the form."""
        levels: list[list[Tree]] = [[]]
        for token in self.tokens():
            if token == "(":
                if len(levels) > MAX_LEVELS:
                    raise FormError(f"nested in more than {MAX_LEVELS} levels")
                levels.append([])
            elif token == ")":
                if len(levels) == 1:
                    raise self.error("a bracket too many")
                levels[-2].append(_list_term(levels.pop()))
            else:
                levels[-1].append(Tree(token))
        if len(levels) > 1:
            raise self.error("a bracket is not closed")
        if len(levels[0]) != 1:
            raise self.error("not one term" if levels[0] else "the form is empty")
        return levels[0][0]


def _list_term(items: list[Tree]) -> Tree:
    """`(f a b)` -> f over a and b; a list without a first symbol has an empty one."""
    if len(items) == 1 and not items[0].arguments:
        return Tree(f"({items[0].symbol})")
    if items and not items[0].arguments and not items[0].symbol.startswith("("):
        return Tree(items[0].symbol, tuple(items[1:]))
    return Tree("", tuple(items)) if items else Tree("()")


def _render_list(tree: Tree) -> str:
    if not tree.arguments:
        return tree.symbol
    parts = [tree.symbol, *map(_render_list, tree.arguments)]
    return f"({' '.join(part for part in parts if part)})"


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object, in order, with repetitions."""


def _read_json(form: str) -> Tree:
    decoder = json.JSONDecoder(
        object_pairs_hook=_Pairs,
        parse_float=lambda text: Tree(text),
        parse_int=lambda text: Tree(text),
        parse_constant=lambda text: Tree(text),
    )
    try:
        return _json_tree(decoder.decode(form), 0)
    except RecursionError:
        raise FormError(f"nested in more than {MAX_LEVELS} levels") from None
    except ValueError as error:
        raise FormError(f"not JSON: {error}") from None


_LITERALS: dict[object, str] = {None: "null", True: "true", False: "false"}


def _json_tree(value: object, level: int) -> Tree:
    if level > MAX_LEVELS:
        raise FormError(f"nested in more than {MAX_LEVELS} levels")
    match value:
        case Tree():
            return value
        case str():
            return Tree(json.dumps(value, ensure_ascii=False))
        case _Pairs():
            keys = (
                Tree(f"{json.dumps(key, ensure_ascii=False)}:", (_json_tree(inner, level + 1),))
                for key, inner in value
            )
            return Tree(OBJECT, tuple(keys))
        case list():
            return Tree(LIST, tuple(_json_tree(inner, level + 1) for inner in value))
    return Tree(_LITERALS[value])


def _escaped(text: str) -> str:
    """JSON text with other letters than ASCII as escapes."""
    return "".join(c if c.isascii() else json.dumps(c)[1:-1] for c in text)
