"""Charts hold all derivations, and the best of them are found; programs run them again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import Meaning, MeaningTable
from lear.algebra.derivations import Derivation, evaluate, fold
from lear.algebra.meanings import structure
from lear.benchmark import Example
from lear.domain import Shape
from lear.domains.toy import TOY
from lear.forest.chart import (
    Edge,
    Forest,
    Item,
    RankedNode,
    best_programs,
    complete_items,
    k_best,
    legal_chart,
    tree_of,
)
from lear.forest.oracle import Oracle
from lear.forest.packed import COUNT
from lear.forest.programs import Program
from lear.grammar.reading import Candidate, CategoryLeaf, Reading
from lear.grammar.rules import Grammar
from lear.learning.exact import make_problems
from lear.model.rule_scores import rule_scores
from tests.support.brute_force import complete_derivations
from tests.support.enumeration import enumerated, rules_of, tiny_network
from tests.support.node_weights import total, weight
from tests.support.shapes import SHAPED_SENTENCES, SHAPES, reshaped
from tests.support.small_domains import SmallDomain, small_domains
from tests.support.toy_rows import SHORT, TEST, TRAIN

SENTENCES = [
    pytest.param(small, tokens, id=f"{name}: {' '.join(tokens)}")
    for name, small in small_domains().items()
    for tokens in small.sentences
]


def derivation_of(nodes: list[RankedNode[Meaning]]) -> Derivation:
    return fold(
        nodes,
        arity=lambda node: len(node.way.edge.children),
        leaf=lambda node: tree_of(node.item, node.way.edge, ()),
        node=lambda node, children: tree_of(node.item, node.way.edge, children),
    )


@given(example=st.sampled_from([*TRAIN, *TEST]), seed=st.integers(0, 10**6))
def test_the_best_are_the_best_of_all_derivations(
    toy_oracle: Oracle, example: Example, seed: int
) -> None:
    forest = toy_oracle.gold_forest(example)
    assert forest is not None

    def score(item: Item[Meaning], edge: Edge[Meaning]) -> float:
        name = edge.label if edge.children else ""
        return weight(name, item.begin, item.end, seed)

    every = forest.derivations(1000)
    best = k_best([forest.root], lambda i, e: (score(i, e),), 3)
    expected = sorted((total(d, seed) for d in every), reverse=True)[:3]
    assert [found for found, _ in best] == pytest.approx(expected)
    derivations = [derivation_of(nodes) for _, nodes in best]
    assert [total(d, seed) for d in derivations] == pytest.approx(expected)
    assert len(set(derivations)) == len(derivations)
    assert set(derivations) <= set(every)


def test_the_best_of_several_roots_are_the_best_of_all() -> None:
    leaves = [Item(0, 1, name, [Edge(name, ())]) for name in "ab"]
    scores = {"a": (1.0, 4.0), "b": (3.0, 2.0)}
    best = k_best(leaves, lambda item, _: scores[item.value], 3)
    # A leaf may stand for several things, each with a score of its own.
    assert [(score, nodes[0].item.value, nodes[0].way.ranks) for score, nodes in best] == [
        (4.0, "a", (1,)),
        (3.0, "b", (0,)),
        (2.0, "b", (1,)),
    ]


def test_items_are_listed_once_with_children_before_parents() -> None:
    leaf = Item(0, 1, "a", [Edge("x", ())])
    middle = Item(0, 2, "b", [Edge("f", (leaf,)), Edge("g", (leaf,))])
    root = Item(0, 3, "c", [Edge("h", (middle,)), Edge("h", (leaf,))])
    assert Forest(root).items() == [leaf, middle, root]
    assert Forest(root).count() == 3


def legal_derivations(oracle: Oracle, tokens: tuple[str, ...]) -> list[Derivation]:
    """Every complete derivation of a chart of categories; their scores play no part."""
    grammar = Grammar(oracle.reader.categories)
    reading = oracle.reader.read(tokens)
    chart = legal_chart(grammar, reading.skeleton)
    scores = [0.0] * len(grammar.rules)

    def leaf_scores(leaf):  # type: ignore[no-untyped-def]
        return [0.0] * len(reading.primitives[leaf])

    programs = best_programs(grammar, chart, scores, leaf_scores, 10_000)
    if not reading.has_choice:
        roots = complete_items(grammar, chart)
        assert len(programs) == sum(Forest(root).count() for root in roots)
    return [program.derivation(reading) for program in programs]


def test_a_chart_of_categories_holds_what_brute_force_finds(toy_oracle: Oracle) -> None:
    for example in SHORT[:10]:
        found = legal_derivations(toy_oracle, example.tokens)
        assert len(found) == len(set(found))
        assert set(found) == complete_derivations(toy_oracle, example.tokens)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_chart_of_categories_holds_what_every_shape_allows(
    ambiguous_oracle: Oracle, shape: Shape
) -> None:
    oracle = reshaped(ambiguous_oracle, shape)
    for tokens in SHAPED_SENTENCES:
        found = legal_derivations(oracle, tokens)
        assert len(found) == len(set(found))
        assert set(found) == complete_derivations(oracle, tokens)


def test_rules_of_a_chart_are_those_of_its_derivations(toy_oracle: Oracle) -> None:
    for example in SHORT[:10]:
        grammar = Grammar(toy_oracle.reader.categories)
        reading = toy_oracle.reader.read(example.tokens)
        chart = legal_chart(grammar, reading.skeleton)
        weights = np.random.default_rng(1).normal(size=len(grammar.rules)).tolist()
        by_rule = dict(zip(grammar.rules, weights, strict=True))
        for program in best_programs(grammar, chart, weights, lambda _: (0.0,), 10):
            used = rules_of(TOY, program.derivation(reading), reading.skeleton.words)
            assert program.score == pytest.approx(sum(by_rule[rule] for rule in used))


def test_the_k_best_are_the_k_best_of_all(toy_oracle: Oracle) -> None:
    example = next(row for row in SHORT if len(row.tokens) == 8)
    data = make_problems(toy_oracle.reader, SHORT)
    network = tiny_network(toy_oracle, data, seed=4)
    scores, _ = enumerated(toy_oracle, network, example)
    grammar = Grammar(toy_oracle.reader.categories)
    reading = toy_oracle.reader.read(example.tokens)
    chart = legal_chart(grammar, reading.skeleton)
    weights = rule_scores(network, grammar.rules).tolist()
    programs = best_programs(grammar, chart, weights, lambda _: (0.0,), 5)
    best = sorted(scores.values(), reverse=True)[:5]
    assert [program.score for program in programs] == pytest.approx(best)
    for program in programs:
        assert scores[program.derivation(reading)] == pytest.approx(program.score)


@pytest.mark.parametrize(("small", "tokens"), SENTENCES)
def test_a_chart_of_categories_counts_as_brute_force_does(
    small: SmallDomain, tokens: tuple[str, ...]
) -> None:
    reader = small.oracle.reader
    reading = reader.read(tokens)
    grammar = Grammar(reader.categories)
    items = complete_items(grammar, legal_chart(grammar, reading.skeleton))
    num_primitives = {leaf: len(primitives) for leaf, primitives in reading.primitives.items()}

    def ways(item: Item[int], edge: Edge[int]) -> int:
        return (
            1 if edge.children else num_primitives[CategoryLeaf(item.begin, item.end, item.value)]
        )

    forests = [Forest(item) for item in items]
    total = sum(f.inside([ways(*pair) for pair in f.edges()], COUNT) for f in forests)
    assert total == len(complete_derivations(small.oracle, tokens))


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
