"""Decoding by chart finds the best of all derivations, whichever rules it tries first.

Models of total algebras always answer, and the same after they were saved and loaded.
"""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from lear.algebra.algebra import Primitive
from lear.algebra.derivations import to_json
from lear.answering.decoders import (
    DEFAULT_BUDGET,
    ChartDecoder,
    Newest,
    fingerprint,
    num_unfit_rules,
)
from lear.benchmark import Example
from lear.domain import Shape
from lear.domains.toy import TOY
from lear.errors import DataError
from lear.forest.chart import Budget
from lear.forest.oracle import Oracle
from lear.grammar.reading import CategoryLeaf, SentenceReader, Skeleton
from lear.grammar.rules import Grammar, Rule
from lear.learning.exact import ExactData, make_problems
from lear.lexicon.lexicon import UNKNOWN, Lexicon, Unit
from lear.model.config import ModelConfig, Vocabulary
from lear.model.lexical_choices import best_primitives
from lear.model.model_file import save_model
from lear.model.network import Network
from lear.parser import Parser
from tests.support.ambiguity import AMBIGUOUS
from tests.support.brute_force import complete_derivations
from tests.support.enumeration import enumerated, rules_of, tiny_network
from tests.support.forward import forward_of
from tests.support.greedy_models import SETTINGS, model_of
from tests.support.shapes import SHAPED_SENTENCES, SHAPES, reshaped
from tests.support.total_domains import total_domains
from tests.support.toy_rows import SHORT, TRAIN

LEGAL = ModelConfig(hidden=8, search="legal")


@pytest.fixture(scope="module")
def data(toy_oracle: Oracle) -> ExactData:
    return make_problems(toy_oracle.reader, TRAIN)


def decoder_of(
    oracle: Oracle,
    network: Network,
    rules: tuple[Rule, ...] = (),
    budget: Budget = DEFAULT_BUDGET,
) -> ChartDecoder:
    reader = oracle.reader
    return ChartDecoder(forward_of(network), reader.categories, rules, budget)


@pytest.mark.parametrize("example", AMBIGUOUS, ids=lambda example: str(example.sentence))
def test_decoding_finds_the_best_of_all_lexical_choices(
    ambiguous_oracle: Oracle, data: ExactData, example: Example
) -> None:
    reading = ambiguous_oracle.reader.read(example.tokens)
    assert reading.choices
    for seed in range(5):
        network = tiny_network(ambiguous_oracle, data, seed)
        scores, _ = enumerated(ambiguous_oracle, network, example)
        best = max(scores.values())
        decoder = decoder_of(ambiguous_oracle, network)
        (found,) = decoder.best_of_each([reading], overlook=False)
        assert found.program is not None
        assert found.program.score == pytest.approx(best)
        assert scores[found.program.derivation(reading)] == pytest.approx(best)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rules_in_use_come_first_and_all_legal_ones_after_them(
    toy_oracle: Oracle, data: ExactData, shape: Shape
) -> None:
    oracle = reshaped(toy_oracle, shape)
    network = tiny_network(oracle, data, seed=1)
    for tokens in SHAPED_SENTENCES:
        reading = oracle.reader.read(tokens)
        scores, _ = enumerated(oracle, network, Example(tokens, "see ( tom , mary )", "", "test"))
        rules = {d: frozenset(rules_of(TOY, d, reading.skeleton.words)) for d in scores}
        for used in {frozenset[Rule](), *rules.values()}:
            within = [score for d, score in scores.items() if rules[d] <= used]
            expected = max(within or scores.values(), default=None)
            decoder = decoder_of(oracle, network, tuple(sorted(used)))
            (found,) = decoder.best_of_each([reading], overlook=False)
            if expected is None:
                assert found.is_dead_end
            else:
                assert found.program is not None
                assert found.program.score == pytest.approx(expected)


def test_rules_that_nothing_can_use_are_counted(toy_oracle: Oracle, data: ExactData) -> None:
    reader, rules = toy_oracle.reader, data.grammar.rules
    unfit = Rule("possess", ("[Relation]", "[Relation]"))
    for more in ([], [unfit]):
        grammar = Grammar(reader.categories, [*rules, *more])
        assert num_unfit_rules(grammar, reader.leaf_categories()) == len(more)


def test_sentences_are_decoded_alike_alone_and_together(
    ambiguous_oracle: Oracle, data: ExactData
) -> None:
    network = tiny_network(ambiguous_oracle, data, seed=2)
    readings = [ambiguous_oracle.reader.read(row.tokens) for row in (*SHORT[:20], *AMBIGUOUS)]
    rules = tuple(data.grammar.rules[:20])
    together = decoder_of(ambiguous_oracle, network, rules).best_of_each(readings, overlook=True)
    alone = [
        decoder_of(ambiguous_oracle, network, rules).best_of_each([reading], overlook=True)[0]
        for reading in readings
    ]
    for one, other in zip(together, alone, strict=True):
        assert one.program is not None
        assert other.program is not None
        assert one.program.instructions == other.program.instructions
        assert one.program.score == pytest.approx(other.program.score)


def test_words_are_overlooked_where_all_legal_rules_give_no_answer(
    toy_oracle: Oracle, data: ExactData
) -> None:
    words = {**toy_oracle.lexicon.function_words, UNKNOWN: 1}
    oracle = Oracle.of(TOY, Lexicon("toy", toy_oracle.lexicon.units, words))
    tokens = ("Tom", "sees", "helps", "Mary")
    config = ModelConfig(hidden=8, search="legal", lexical="units")
    network = tiny_network(oracle, make_problems(oracle.reader, SHORT), seed=4, config=config)
    reading = oracle.reader.read(tokens)
    assert not complete_derivations(oracle, tokens)
    decoder = decoder_of(oracle, network)
    (refused,) = decoder.best_of_each([reading], overlook=False)
    assert refused.is_dead_end
    (found,) = decoder.best_of_each([reading], overlook=True)
    assert found.program is not None
    assert found.is_overlooking
    derivation = found.program.derivation(reading)
    assert derivation in complete_derivations(oracle, tokens, overlook=True)


def test_a_sentence_beyond_the_budget_has_no_answer_and_a_reason(
    toy_oracle: Oracle, data: ExactData
) -> None:
    network = tiny_network(toy_oracle, data, seed=5, config=LEGAL)
    reader = toy_oracle.reader
    decoder = ChartDecoder(forward_of(network), reader.categories, (), Budget(5))
    reading = reader.read(("Tom", "sees", "Mary") * 5)
    (found,) = decoder.best_of_each([reading], overlook=False)
    assert found.program is None
    assert found.is_beyond_limits
    assert found.reason.startswith("no answer among the first 5 combinations of its phrases")


def test_where_a_margin_drops_all_derivations_nothing_is_dropped(
    ambiguous_oracle: Oracle, data: ExactData
) -> None:
    reader = ambiguous_oracle.reader
    readings = [reader.read(example.tokens) for example in (*AMBIGUOUS, *TRAIN[:60])]
    num_exhaustive = 0
    for seed in range(4):
        network = tiny_network(ambiguous_oracle, data, seed, LEGAL)
        wide, narrow = (
            decoder_of(
                ambiguous_oracle, network, budget=Budget(DEFAULT_BUDGET.combinations, margin)
            )
            for margin in (None, 0.0)
        )
        expected = wide.best_of_each(readings, overlook=False)
        found = narrow.best_of_each(readings, overlook=False)
        assert [f.program is None for f in found] == [e.program is None for e in expected]
        for reading, one, best in zip(readings, found, expected, strict=True):
            if one.is_exhaustive:
                num_exhaustive += 1
                assert one.program is not None
                assert best.program is not None
                assert one.program.instructions == best.program.instructions
                # Sums of rules that were scored with others differ in their last digits.
                assert one.program.score == pytest.approx(best.program.score)
                (choices,) = best_primitives(narrow.forward, [reading])
                for is_exhaustive in (False, True):
                    search = narrow.search(
                        [(reading.skeleton, choices)], [0], 0, is_exhaustive=is_exhaustive
                    )
                    assert (search.best(0) is not None) == is_exhaustive
    assert num_exhaustive > 0


ROW = Example(("Tom", "sees", "the", "7"), "see ( tom , girl )", "", "test:1")


@pytest.fixture
def reader() -> SentenceReader:
    """A language in which numbers are girls, and a lexicon without any word of their type."""
    words = replace(
        TOY.words, unknown=lambda word: (Primitive("Kind", "girl"),) if word.isdigit() else ()
    )
    entries: dict[tuple[Unit, Primitive], int] = {
        (("Tom",), Primitive("Person", "tom")): 1,
        (("sees",), Primitive("Action", "see")): 1,
    }
    lexicon = Lexicon.from_counts("toy", entries, {"the": 1})
    return SentenceReader(replace(TOY, words=words), lexicon)


@pytest.mark.parametrize("seed", range(5))
def test_the_rules_in_use_come_first_for_categories_of_unknown_words_too(
    reader: SentenceReader, seed: int
) -> None:
    rules = tuple(make_problems(reader, [ROW], contrast="attested").grammar.rules)
    torch.manual_seed(seed)
    symbols = make_problems(reader, [ROW], contrast="legal").symbols
    network = Network(ModelConfig(hidden=8), Vocabulary.of(reader, symbols))
    decoder = ChartDecoder(forward_of(network), reader.categories, rules)
    reading = reader.read(ROW.tokens)
    (decoded,) = decoder.best_of_each([reading], overlook=False)
    assert decoded.program is not None
    # Others may score better, such as `take_agent`; but these are the rules that training uses.
    operations = {at.label for at in decoded.program.instructions if at.arity}
    assert operations == {rule.operation for rule in rules}


@pytest.mark.parametrize("said", SETTINGS)
@pytest.mark.parametrize("name", total_domains())
def test_a_model_answers_the_same_after_it_was_saved_and_loaded(
    name: str, said: str, tmp_path: Path
) -> None:
    small = total_domains()[name]
    before = Parser(model_of(small, said))
    save_model(tmp_path / "model.safetensors", before.model)
    after = Parser.from_pretrained(tmp_path)
    assert after.model.header == before.model.header
    assert after.domain is small.domain
    for tokens in small.sentences:
        first, second = before.parse(tokens), after.parse(tokens)
        assert first.form == second.form
        assert first.score == second.score
        if first.derivation is not None and second.derivation is not None:
            assert to_json(first.derivation) == to_json(second.derivation)


@pytest.mark.parametrize("name", total_domains())
def test_a_new_model_has_an_answer_wherever_a_word_stands_for_something(name: str) -> None:
    small = total_domains()[name]
    parser = Parser(model_of(small, "any"))  # the Composer cannot take all words for nothing
    for row in small.rows:
        assert parser.parse(row.tokens).form is not None


def test_a_model_of_the_other_algebra_is_refused() -> None:
    model = model_of(total_domains()["cogs"], "paper")
    strict = structs.replace(model.header.config, algebra="strict")
    header = structs.replace(model.header, config=strict)
    with pytest.raises(DataError, match="other operations than domain 'cogs' has now"):
        Parser(replace(model, header=header))


LEAVES = st.builds(CategoryLeaf, *[st.integers(0, 3)] * 3)
SKELETONS = st.builds(
    Skeleton,
    st.lists(st.sampled_from([None, "", "a", "b", "ab"]), max_size=3).map(tuple),
    st.lists(LEAVES, max_size=2).map(tuple),
)
CHOICES = st.lists(st.tuples(LEAVES, st.tuples(st.floats(allow_nan=False), st.integers(0, 2))))
SENTENCES = st.tuples(SKELETONS, CHOICES.map(tuple))


@given(SENTENCES, SENTENCES)
def test_fingerprints_are_equal_where_values_are(
    first: tuple[object, ...], second: tuple[object, ...]
) -> None:
    # 0.0 and -0.0 are equal, but have two fingerprints: what is remembered is then not found.
    if repr(first) == repr(second):
        assert fingerprint(first) == fingerprint(second)
    if first != second:
        assert fingerprint(first) != fingerprint(second)
    assert len(fingerprint(first)) == 16


def test_parts_do_not_run_into_each_other() -> None:
    values = (("ab", "c"), ("a", "bc"), ("abc",), "abc", ("ab", ("c",)), ((), "ab", "c"), None, ())
    assert len(set(map(fingerprint, values))) == len(values)


def test_only_the_newest_are_remembered() -> None:
    remembered = Newest[int](10)
    for number in range(100):
        remembered.update([(fingerprint(number), number)])
    known = [number for number in range(100) if remembered.get(fingerprint(number)) == number]
    assert 99 in known
    assert len(remembered) == len(known)
    assert 5 <= len(known) <= 10
