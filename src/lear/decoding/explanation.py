"""What a derivation does not say by itself: the meaning of each node, its symbol and its score."""

from collections.abc import Sequence

from lear.core.algebra import Meaning
from lear.core.meaning_text import meaning_text, shortened
from lear.core.node_notes import NodeNote
from lear.decoding.chart_decoder import ChartDecoder
from lear.domain.domain import Domain
from lear.grammar.sentence_reading import Reading
from lear.model.lexical_choices import leaf_scores
from lear.search.program_rules import rules_of_program
from lear.search.skeleton_derivation import Instruction, Program


def explain(
    program: Program, reading: Reading, domain: Domain, decoder: object
) -> tuple[NodeNote, ...]:
    """The notes on the nodes of a program, in its post-order."""
    meanings: list[Meaning] = []
    program.meaning(reading, domain, seen=meanings.append)
    scores: Sequence[float | None] = [None] * len(meanings)
    orders = list(range(len(meanings)))
    if isinstance(decoder, ChartDecoder):
        scores = _scores(program, reading, domain, decoder)
        orders = _chart_orders(program.instructions)
    return tuple(
        NodeNote(domain.syntax.argument_symbol(meaning), _text(meaning, domain), score, order)
        for meaning, score, order in zip(meanings, scores, orders, strict=True)
    )


def _text(meaning: Meaning, domain: Domain) -> str:
    render_part = domain.language.render_part
    return meaning_text(meaning) if render_part is None else shortened(render_part(meaning))


def _scores(
    program: Program, reading: Reading, domain: Domain, decoder: ChartDecoder
) -> list[float | None]:
    (leaves,) = leaf_scores(decoder.forward, [reading])
    rules = iter(decoder.scorer(rules_of_program(program, reading, domain)))
    scores: list[float | None] = []
    for at in program.instructions:
        if at.arity:
            scores.append(next(rules))
        else:
            found = leaves.get(at.label.leaf)
            scores.append(0.0 if found is None else float(found[:, at.label.rank].mean()))
    return scores


def _chart_orders(instructions: Sequence[Instruction]) -> list[int]:
    """A chart is filled from short spans to long ones, and from left to right."""
    numbers = range(len(instructions))
    built = sorted(numbers, key=lambda n: (instructions[n].end - instructions[n].begin, n))
    order = dict(zip(built, numbers, strict=True))
    return [order[n] for n in numbers]
