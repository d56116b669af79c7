"""The rules that a program uses, with the words of its sentence."""

from operator import attrgetter

from lear.core.algebra import Meaning
from lear.core.derivation import fold
from lear.core.lexicon import OVERLOOKED
from lear.domain.domain import Domain
from lear.grammar.rules import Rule, make_rule, scored_as
from lear.grammar.sentence_reading import Reading, Span
from lear.search.skeleton_derivation import Instruction, Program


def rules_of_program(program: Program, reading: Reading, domain: Domain) -> list[Rule]:
    """What each operation's rule is scored as, children first; a word may be overlooked."""
    words = tuple(OVERLOOKED if word is None else word for word in reading.skeleton.words)
    symbols: list[tuple[str, ...]] = []

    def visit(at: Instruction, arguments: tuple[Meaning, ...]) -> None:
        symbols.append(domain.syntax.rule_symbols(at.label, arguments))

    program.meaning(reading, domain, visit)
    rules: list[Rule] = []

    def node(at: Instruction, children: tuple[Span, ...]) -> Span:
        borders = (at.begin, *(border for child in children for border in child), at.end)
        gaps = [words[a:b] for a, b in zip(borders[::2], borders[1::2], strict=True)]
        rule = make_rule(at.label, symbols[len(rules)], gaps)
        rules.append(scored_as(domain.syntax, rule))
        return at.begin, at.end

    span = attrgetter("begin", "end")
    fold(program.instructions, arity=attrgetter("arity"), leaf=span, node=node)
    return rules
