"""What a grammar sees of the parts of terms."""

from collections.abc import Callable

from lear.algebra.algebra import Meaning
from lear.domains.terms.algebra import Part, Whole
from lear.domains.terms.fragments import Fragments
from lear.domains.terms.tree import Tree


def category_of(fragments: Fragments) -> Callable[[Meaning], str]:
    """What decides which operations are legal.

    That is how a part was made, what it lacks and may take, and what may be unsaid around it.
    """
    shown = head_symbol_of(fragments)

    def category(meaning: Meaning) -> str:
        assert isinstance(meaning, Part | Whole)
        tree = meaning.tree
        state = meaning.state if isinstance(meaning, Part) else "whole"
        extras = "|".join(fragments.free_extras(tree))
        is_open = " open" if fragments.closed(tree) is None else ""
        unsaid = " ".join(symbol for symbol, _ in fragments.lifts(tree))
        joints = "".join(
            f" and {'|'.join(joint.wanted)}{list(joint.holes)}" for joint in fragments.joints(tree)
        )
        joints += " unsaid" if fragments.passes_joints(tree) else ""
        return f"{state} {shown(meaning)}{extras}{is_open}{joints} in {unsaid}"

    return category


def head_symbol_of(fragments: Fragments) -> Callable[[Meaning], str]:
    """What a rule shows of a head: its kind, the kinds that it lacks, whether it takes more.

    Which further arguments it has already is not shown, so that it may have more of them than any
    training row has.
    """

    def symbol(meaning: Meaning) -> str:
        assert isinstance(meaning, Part | Whole)
        tree = meaning.tree
        lacks = ["|".join(fragments.wanted(tree, p) or ("*",)) for p in fragments.hole(tree)]
        more = "+" if fragments.takes_extras(tree) else ""
        return f"{shown_kind(fragments, tree)}({', '.join(lacks)}){more}"

    return symbol


def argument_symbol_of(fragments: Fragments) -> Callable[[Meaning], str]:
    """What a rule shows of another argument: its kind, and whether it is open."""

    def symbol(meaning: Meaning) -> str:
        assert isinstance(meaning, Part | Whole)
        tree = meaning.tree
        return f"{shown_kind(fragments, tree)}{'?' if fragments.hole(tree) else ''}"

    return symbol


def shown_kind(fragments: Fragments, tree: Tree) -> str:
    """What rules see of a part's kind; where types and symbols are mixed, its symbol as well."""
    kind = fragments.kind(tree)
    language = fragments.language
    is_mixed = language.fineness == "mixed" and tree.symbol in language.symbols
    return f"{kind}:{tree.symbol}" if is_mixed else kind
