"""A program is a derivation without its words: any sentence of its skeleton can run it."""

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import evaluate
from lear.algebra.meanings import structure
from lear.domains.toy import TOY
from lear.forest.legal_chart import best_programs, legal_chart
from lear.forest.oracle import Oracle
from lear.forest.programs import Program
from lear.grammar.reading import Candidate, Reading
from lear.grammar.rules import Grammar
from tests.support.toy_rows import SHORT


def programs_of(oracle: Oracle, reading: Reading) -> list[Program]:
    grammar = Grammar(oracle.reader.categories)
    chart = legal_chart(grammar, reading.skeleton)

    def leaf_scores(leaf):  # type: ignore[no-untyped-def]
        return [0.0] * len(reading.primitives[leaf])

    return best_programs(grammar, chart, [0.0] * len(grammar.rules), leaf_scores, 50)


def test_the_meaning_of_a_program_is_that_of_its_derivation(ambiguous_oracle: Oracle) -> None:
    for row in SHORT[:30]:
        reading = ambiguous_oracle.reader.read(row.tokens)
        for program in programs_of(ambiguous_oracle, reading):
            table = MeaningTable(TOY.language.algebra)
            expected = evaluate(program.derivation(reading), table, TOY.words.ground)
            assert structure(program.meaning(reading, TOY)) == structure(expected)


def test_sentences_of_one_skeleton_share_their_programs(toy_oracle: Oracle) -> None:
    one, other = (
        toy_oracle.reader.read(tokens)
        for tokens in (("Tom", "sees", "the", "girl"), ("Mary", "helps", "the", "boy"))
    )
    assert one.skeleton == other.skeleton
    programs = programs_of(toy_oracle, one)
    assert programs == programs_of(toy_oracle, other)
    forms = {
        tuple(TOY.language.render(program.meaning(reading, TOY)) for reading in (one, other))
        for program in programs
    }
    assert ("see ( tom , girl )", "help ( mary , boy )") in forms


def test_instructions_are_in_post_order_with_a_candidate_at_each_leaf(toy_oracle: Oracle) -> None:
    reading = toy_oracle.reader.read(SHORT[0].tokens)
    for program in programs_of(toy_oracle, reading):
        height = 0
        for instruction in program.instructions:
            assert isinstance(instruction.label, Candidate) == (instruction.arity == 0)
            height += 1 - instruction.arity
            assert height >= 1
        assert height == 1
