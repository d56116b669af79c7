"""The distribution that exact training normalises, against enumeration of every derivation."""

import math
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch

from lear.core.algebra import Meaning, MeaningTable
from lear.core.derivation import Derivation, Leaf, Node, evaluate, walk
from lear.core.lexicon import Lexicon, Primitive
from lear.decoding.chart_decoder import ChartDecoder
from lear.domain.example import Example
from lear.domains.toy.algebra import Kind, Person, Predicate
from lear.domains.toy.corpus import generate
from lear.domains.toy.domain import TOY
from lear.exact.inside import ForestBatch, PackedForest, inside
from lear.exact.objective import exact_loss
from lear.exact.problems import ExactData, make_problems
from lear.grammar.categories import CategoryTable, rule_symbols
from lear.grammar.grammar import Grammar
from lear.grammar.reading import Reading
from lear.grammar.rules import Rule, make_rule
from lear.grammar.sentence_reader import SentenceReader
from lear.network.config import ModelConfig
from lear.network.lexical_choices import leaf_scores
from lear.network.network import Network
from lear.network.rule_scores import rule_scores
from lear.network.vocabulary import Vocabulary
from lear.search.chart import DEFAULT_BUDGET, Edge, Item
from lear.search.forest import Forest
from lear.search.gold_rules import Attestation, rule_of
from lear.search.legal_chart import best_programs
from lear.search.lookahead import NO_LOOKAHEAD, Lookahead
from lear.search.oracle import Oracle
from lear.search.viterbi import Viterbi
from tests.brute_force import all_derivations

ROWS = generate("train", seed=1)
SHORT = [row for row in ROWS if len(row.tokens) <= 8]
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def data(toy_oracle: Oracle) -> ExactData:
    return prepare(TOY, toy_oracle.lexicon, ROWS)


def tiny_network(oracle: Oracle, data: ExactData, seed: int) -> Network:
    torch.manual_seed(seed)
    vocabulary = Vocabulary.of(TOY, oracle.lexicon, data.symbols)
    return Network(ModelConfig(hidden=8), vocabulary).double()


def rules_of(derivation: Derivation, tokens: tuple[str, ...]) -> list[Rule]:
    """The rules of a derivation, straight from its nodes."""
    rules = []
    for _, node in walk(derivation):
        if isinstance(node, Node):
            table = MeaningTable(TOY.language.algebra)
            arguments = tuple(evaluate(child, table, TOY.words.ground) for child in node.children)
            symbols = rule_symbols(TOY, node.operation, arguments)
            borders = [node.begin, *(b for c in node.children for b in (c.begin, c.end)), node.end]
            gaps = [tokens[b:e] for b, e in zip(borders[::2], borders[1::2], strict=True)]
            rules.append(make_rule(node.operation, symbols, gaps))
    return rules


def lexical_score(network: Network, reading: Reading, derivation: Derivation) -> float:
    """The log-probability of the primitives of a derivation, where there was a choice."""
    (leaves,) = leaf_scores(network, [reading])
    total = 0.0
    for _, node in walk(derivation):
        if isinstance(node, Leaf):
            for leaf, primitives in reading.candidates.items():
                if leaf[:2] == (node.begin, node.end) and node.primitive in primitives:
                    total += leaves.get(leaf, [0.0])[primitives.index(node.primitive)]
    return total


def enumerated(
    oracle: Oracle, network: Network, example: Example
) -> tuple[dict[Derivation, float], set[Derivation]]:
    """Scores of all complete derivations by brute force, and which of them mean gold."""
    table = MeaningTable(TOY.language.algebra)
    gold = TOY.language.read_gold(example, table)
    reading = Analyser(TOY, oracle.lexicon, CategoryTable(TOY)).read(example.tokens)
    scores, right = {}, set()
    for derivation in all_derivations(oracle, example.tokens):
        meaning = evaluate(derivation, table, TOY.words.ground)
        if TOY.language.algebra.is_complete(meaning):
            used = rule_scores(network, rules_of(derivation, example.tokens))
            scores[derivation] = used.sum().item() + lexical_score(network, reading, derivation)
            if meaning is gold:
                right.add(derivation)
    return scores, right


def log_sum(values: list[float]) -> float:
    return math.log(sum(math.exp(value) for value in values))


@pytest.mark.parametrize("index", range(0, 60, 10))
def test_the_loss_is_minus_the_log_probability_of_the_gold_meaning(
    toy_oracle: Oracle, data: ExactData, index: int
) -> None:
    example = SHORT[index]
    network = tiny_network(toy_oracle, data, seed=index)
    one = prepare(TOY, toy_oracle.lexicon, [example])
    scores, right = enumerated(toy_oracle, network, example)
    expected = log_sum(list(scores.values())) - log_sum([scores[d] for d in right])
    assert expected > 0
    loss = exact_loss(network, one.grammar.rules, one.problems)
    assert loss.item() == pytest.approx(expected, abs=1e-9)


def test_probabilities_of_all_derivations_sum_to_one(toy_oracle: Oracle, data: ExactData) -> None:
    network = tiny_network(toy_oracle, data, seed=1)
    for example in SHORT[:5]:
        problem = prepare(TOY, toy_oracle.lexicon, [example])
        log_z = inside(
            ForestBatch.of([problem.problems[0].legal], CPU),
            rule_scores(network, problem.grammar.rules),
        ).item()
        scores, _ = enumerated(toy_oracle, network, example)
        assert len(scores) > 1
        assert sum(math.exp(s - log_z) for s in scores.values()) == pytest.approx(1.0)


def test_the_gradient_is_the_difference_of_expected_rule_counts(
    toy_oracle: Oracle, data: ExactData
) -> None:
    network = tiny_network(toy_oracle, data, seed=2)
    example = SHORT[3]
    problem = prepare(TOY, toy_oracle.lexicon, [example])
    scores = rule_scores(network, problem.grammar.rules).detach().requires_grad_()
    legal = inside(ForestBatch.of([problem.problems[0].legal], CPU), scores)
    legal.sum().backward()  # type: ignore[no-untyped-call]
    by_rule = dict(zip(problem.grammar.rules, scores.tolist(), strict=True))
    derivations, _ = enumerated(toy_oracle, network, example)
    totals = {d: sum(by_rule[rule] for rule in rules_of(d, example.tokens)) for d in derivations}
    log_z = log_sum(list(totals.values()))
    expected: Counter[Rule] = Counter()
    for derivation, total in totals.items():
        for rule in rules_of(derivation, example.tokens):
            expected[rule] += math.exp(total - log_z)  # type: ignore[assignment]
    assert scores.grad is not None
    for rule, gradient in zip(problem.grammar.rules, scores.grad.tolist(), strict=True):
        assert gradient == pytest.approx(expected[rule], abs=1e-9)


def test_a_batch_gives_what_its_forests_give_one_by_one(data: ExactData) -> None:
    scores = torch.tensor(
        np.random.default_rng(1).normal(size=len(data.grammar.rules)), dtype=torch.float64
    )
    forests = [problem.legal for problem in data.problems[:20]]
    together = inside(ForestBatch.of(forests, CPU), scores)
    alone = [inside(ForestBatch.of([forest], CPU), scores).item() for forest in forests]
    assert together.tolist() == pytest.approx(alone)


def test_a_packed_forest_sums_as_the_forest_does(toy_oracle: Oracle) -> None:
    example = next(r for r in ROWS if (f := toy_oracle.gold_forest(r)) and f.count() > 1)
    forest = toy_oracle.gold_forest(example)
    assert forest is not None
    grammar = Grammar(CategoryTable(TOY))

    def numbers(item: Item[Meaning], edge: Edge[Meaning]) -> list[int]:
        is_leaf = not edge.children
        return [] if is_leaf else [grammar.number(rule_of(TOY, item, edge, example.tokens))]

    packed = PackedForest.of(forest, numbers)
    weights = np.random.default_rng(2).normal(size=len(grammar.rules))

    def weight(item, edge):  # type: ignore[no-untyped-def]
        if not edge.children:
            return 1.0
        number = grammar.number(rule_of(TOY, item, edge, example.tokens))
        return math.exp(weights[number])

    plain = forest.inside(weight, lambda a, b: a * b, lambda a, b: a + b)
    fast = inside(ForestBatch.of([packed], CPU), torch.tensor(weights))
    assert fast.item() == pytest.approx(math.log(plain))


def test_rows_with_one_skeleton_and_one_gold_are_one_problem(data: ExactData) -> None:
    assert sum(problem.count for problem in data.problems) == len(ROWS)
    assert len(data.problems) < 0.6 * len(ROWS)
    assert data.num_unreached == 0


@pytest.mark.parametrize("seed", range(20))
def test_viterbi_finds_the_best_of_all_derivations(toy_oracle: Oracle, seed: int) -> None:
    oracle = toy_oracle
    example = random.Random(seed).choice([*ROWS, *generate("test", seed=1)])
    categories = CategoryTable(TOY)
    analyser = Analyser(TOY, oracle.lexicon, categories)
    grammar = Grammar(categories)
    skeleton = reader.read(example.tokens).skeleton
    chart = grammar.chart(skeleton)
    weights = np.random.default_rng(seed).normal(size=10_000).tolist()
    (plain,) = best_programs(grammar, chart, weights, lambda _: (0.0,), 1)
    gaps = {(), *((word,) for word in oracle.lexicon.function_words)}
    lookahead = Lookahead.of(grammar, analyser.leaf_categories(), gaps)
    for look in (NO_LOOKAHEAD, lookahead):
        fast = Viterbi(grammar, weights.__getitem__, DEFAULT_BUDGET, look).best(skeleton)
        assert fast is not None
        assert fast.score == pytest.approx(plain.score)
        assert fast.instructions == plain.instructions


def test_the_k_best_are_the_k_best_of_all(toy_oracle: Oracle, data: ExactData) -> None:
    example = next(row for row in SHORT if len(row.tokens) == 8)
    network = tiny_network(toy_oracle, data, seed=4)
    scores, _ = enumerated(toy_oracle, network, example)
    categories = CategoryTable(TOY)
    grammar = Grammar(categories)
    reading = Analyser(TOY, toy_oracle.lexicon, categories).read(example.tokens)
    chart = grammar.chart(reading.skeleton)
    weights = rule_scores(network, grammar.rules).tolist()
    programs = best_programs(grammar, chart, weights, lambda _: (0.0,), 5)
    best = sorted(scores.values(), reverse=True)[:5]
    assert [program.score for program in programs] == pytest.approx(best)
    for program in programs:
        derivation = program.derivation(reading)
        assert scores[derivation] == pytest.approx(program.score)


def test_a_chart_of_categories_counts_as_brute_force_does(toy_oracle: Oracle) -> None:
    grammar = Grammar(CategoryTable(TOY))
    analyser = Analyser(TOY, toy_oracle.lexicon, grammar.categories)
    for example in SHORT[:10]:
        chart = grammar.chart(reader.read(example.tokens).skeleton)
        (root,) = grammar.complete_items(chart)
        complete = [
            derivation
            for derivation in all_derivations(toy_oracle, example.tokens)
            if TOY.language.algebra.is_complete(
                evaluate(derivation, MeaningTable(TOY.language.algebra), TOY.words.ground)
            )
        ]
        assert Forest(root).count() == len(complete)


AMBIGUOUS = [
    Example(("Tom", "sees", "Mary"), "see ( tom , mary )", "", "test:1"),
    Example(("Tom", "sees", "the", "Mary"), "help ( tom , girl )", "", "test:2"),
    Example(("Mary", "looks", "after", "the"), "teach ( mary , carl )", "", "test:3"),
]


@pytest.mark.parametrize("example", AMBIGUOUS, ids=lambda example: str(example.sentence))
def test_lexical_choices_are_part_of_the_marginal_likelihood(
    ambiguous_oracle: Oracle, data: ExactData, example: Example
) -> None:
    network = tiny_network(ambiguous_oracle, data, seed=3)
    one = prepare(TOY, ambiguous_oracle.lexicon, [example])
    scores, right = enumerated(ambiguous_oracle, network, example)
    assert 0 < len(right) < len(scores)
    loss = exact_loss(network, one.grammar.rules, one.problems)
    expected = log_sum(list(scores.values())) - log_sum([scores[d] for d in right])
    assert loss.item() == pytest.approx(expected, abs=1e-9)
    together = prepare(TOY, ambiguous_oracle.lexicon, AMBIGUOUS)
    alone = [exact_loss(network, together.grammar.rules, [p]).item() for p in together.problems]
    batch = exact_loss(network, together.grammar.rules, together.problems).item()
    assert batch == pytest.approx(sum(alone) / len(alone))
    loss.backward()  # type: ignore[no-untyped-call]
    assert network.lexical.primitive.weight.grad is not None


@pytest.mark.parametrize("example", AMBIGUOUS, ids=lambda example: str(example.sentence))
def test_decoding_finds_the_best_of_all_lexical_choices(
    ambiguous_oracle: Oracle, data: ExactData, example: Example
) -> None:
    categories = CategoryTable(TOY)
    analyser = Analyser(TOY, ambiguous_oracle.lexicon, categories)
    reading = reader.read(example.tokens)
    assert reading.choices
    for seed in range(5):
        network = tiny_network(ambiguous_oracle, data, seed)
        scores, _ = enumerated(ambiguous_oracle, network, example)
        best = sorted(scores.values(), reverse=True)
        decoder = ChartDecoder(network, categories, (), analyser.leaf_categories())
        (found,) = decoder.best_of_each([reading])
        assert found.program is not None
        assert found.program.score == pytest.approx(best[0])
        assert scores[found.program.derivation(reading)] == pytest.approx(best[0])
        several = decoder.best_of(reading, 4)
        assert [program.score for program in several] == pytest.approx(best[:4])
        assert len({program.derivation(reading) for program in several}) == len(several)


def test_answers_of_several_categories_share_the_probability() -> None:
    """`sees Mary` is "friend of Mary" or "to see Mary", in a language where both are answers."""
    algebra = replace(TOY.language.algebra, is_complete=lambda m: isinstance(m, Kind | Predicate))
    either = replace(
        TOY,
        algebra=algebra,
        read=lambda _, __, table: table.intern(Kind("friend", table.intern(Person("mary")))),
        guide=lambda _: lambda _: True,
    )
    lexicon = Lexicon.from_counts(
        "toy",
        {
            (("sees",), Primitive("Relation", "friend")): 1,
            (("sees",), Primitive("Action", "see")): 1,
            (("Mary",), Primitive("Person", "mary")): 1,
        },
        {},
    )
    data = prepare(either, lexicon, [Example(("sees", "Mary"), "", "", "test")])
    (problem,) = data.problems
    network = tiny_network(Oracle.of(either, lexicon), data, seed=5)
    # Which of the two "sees" is, the grammar sees: no choice is left to the Bi-LSTM.
    assert problem.reading.choices
    assert not problem.reading.hidden_choices
    rules = {rule.operation: rule for rule in data.grammar.rules}
    scores = dict(zip(rules, rule_scores(network, list(rules.values())).tolist(), strict=True))
    right, wrong, agent = (scores[name] for name in ("relate", "take_object", "take_agent"))
    expected = log_sum([right, wrong, agent]) - right
    loss = exact_loss(network, data.grammar.rules, data.problems)
    assert loss.item() == pytest.approx(expected)


def test_only_attested_operations_are_legal_where_the_table_says_so(toy_oracle: Oracle) -> None:
    rows = [min(SHORT, key=lambda row: len(row.tokens))]
    evidence = gather(TOY, toy_oracle.lexicon, rows)
    assert evidence.num_silent == 0
    narrow = prepare(TOY, toy_oracle.lexicon, rows, CategoryTable(TOY, evidence.steps))
    wide = prepare(TOY, toy_oracle.lexicon, rows)
    allowed = set(evidence.steps)
    assert {(rule.operation, rule.symbols) for rule in narrow.grammar.rules} <= allowed
    assert {(rule.operation, rule.symbols) for rule in wide.grammar.rules} - allowed
    assert narrow.num_unreached == 0


def test_a_leaf_that_can_also_be_built_counts_as_one_way() -> None:
    inner = Item(0, 1, "a", [Edge(None, ())])
    root = Item(0, 2, "b", [Edge(None, ()), Edge(0, (inner,))])
    forest = Forest(root)
    assert forest.count() == 2
    packed = PackedForest.of(forest, lambda _, edge: [0] if edge.children else [])
    log_z = inside(ForestBatch.of([packed], CPU), torch.zeros(1, dtype=torch.float64))
    assert log_z.item() == pytest.approx(math.log(2))


def test_words_that_look_like_symbols_stay_words() -> None:
    rule = make_rule("group", ("Person",), (("[", "\\"), ("]", "[x]")))
    assert rule.symbols == ("Person",)
    assert rule.words == ("[", "\\", "]", "[x]")


def test_no_rules_have_no_scores(toy_oracle: Oracle, data: ExactData) -> None:
    assert rule_scores(tiny_network(toy_oracle, data, seed=1), []).shape == (0,)
