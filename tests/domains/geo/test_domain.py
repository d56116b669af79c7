"""GEO as a whole: what is reached, how it is decoded, and what is asked in other words."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import lear
from lear.algebra.algebra import MeaningTable, Primitive
from lear.answering.decoders import ChartDecoder
from lear.benchmark import Benchmark, Example
from lear.domains.geo.corpus import QUERY, STANDARD
from lear.domains.geo.domain import GEO, renamed_rows
from lear.domains.geo.functions import read_program
from lear.domains.toy import TOY
from lear.errors import UsageError
from lear.evaluation.coverage import Unreached, coverage
from lear.forest.chart import Budget, Forest, best_programs, legal_chart
from lear.forest.oracle import Oracle
from lear.grammar.rules import Grammar
from lear.learning.config import find_recipe, load_config
from lear.learning.exact import ExactData, exact_loss, make_problems
from lear.learning.run import make_learner
from lear.lexicon.lexicon import OVERLOOKED, Entry, Lexicon
from lear.model.config import ModelConfig
from lear.model.lexical_choices import leaf_scores
from lear.model.network import Network
from lear.model.rule_scores import RuleScorer
from tests.support.congruence import check_congruence
from tests.support.enumeration import tiny_network
from tests.support.forward import forward_of, mean_scores
from tests.support.free_questions import count
from tests.support.toy_rows import TRAIN


def short(rows: list[Example], most: int, count: int) -> list[Example]:
    return [row for row in rows if len(row.tokens) <= most][:count]


@pytest.mark.data
def test_categories_are_a_congruence(query_oracle: Oracle, query_train: list[Example]) -> None:
    assert check_congruence(query_oracle, short(query_train, 6, 8)).num_categories > 40


@pytest.mark.data
def test_the_guide_loses_no_derivation(query_oracle: Oracle, query_train: list[Example]) -> None:
    for row in short(query_train, 7, 25):
        table = MeaningTable(GEO.language.algebra)
        gold = GEO.language.read_gold(row, table)
        chart = query_oracle.search(query_oracle.reader.read(row.tokens), table)
        roots = [
            item
            for item in chart.cell(0, len(row.tokens))
            if GEO.language.algebra.is_complete(item.value)
            and GEO.language.finish(item.value, row.tokens, table) is gold
        ]
        unguided = sum(Forest(root).count() for root in roots)
        guided = query_oracle.gold_forest(row)
        assert (guided.count() if guided else 0) == unguided > 0


@pytest.mark.data
def test_words_are_overlooked_only_where_there_is_no_other_way(query_oracle: Oracle) -> None:
    tokens = GEO.words.tokenize("how many states have cities towns named var0")
    row = Example(tokens, "answer(count(state(loc_1(city(var0)))))", "", "here")
    assert query_oracle.gold_forest(row) is None
    assert query_oracle.gold_forest(row, overlook=True) is not None


@pytest.mark.data
def test_names_are_never_overlooked(query_oracle: Oracle, query_train: list[Example]) -> None:
    assert query_oracle.reader.read(("var0", "var1")).overlooking.words == (None, None)
    for row in query_train:
        reading = query_oracle.reader.read(row.tokens)
        for seen, word, other in zip(
            reading.view, reading.skeleton.words, reading.overlooking.words, strict=True
        ):
            is_name = seen.startswith("<Entity")
            assert other == (word if word is not None or is_name else OVERLOOKED)


@pytest.mark.data
@pytest.mark.parametrize(("part", "least"), [("train", 0.98), ("dev", 0.94)])
def test_coverage_of_the_query_split(
    load_geo: Callable[[Benchmark, str], list[Example]],
    query_oracle: Oracle,
    part: str,
    least: float,
) -> None:
    rows = load_geo(QUERY, part)
    oracle = Oracle.of(GEO, query_oracle.lexicon, Budget(1_000_000))
    lost = [found for found in coverage(oracle, rows) if isinstance(found, Unreached)]
    assert 1 - len(lost) / len(rows) >= least


UNITS = ModelConfig(hidden=8, lexical="units", search="legal")


@pytest.fixture(scope="module")
def tiny(query_oracle: Oracle, query_train: list[Example]) -> tuple[ExactData, Network]:
    """Forests of some rows, and a network that knows nothing yet."""
    rows = short(query_train, 9, 40)
    data = make_problems(query_oracle.reader, rows, config=UNITS)
    return data, tiny_network(query_oracle, data, seed=1, config=UNITS)


@pytest.mark.data
def test_derivations_of_gold_are_legal_ones(tiny: tuple[ExactData, Network]) -> None:
    data, network = tiny
    assert data.num_unreached == 0
    for problem in data.problems:
        assert exact_loss(network, data.grammar.rules, [problem]).item() >= 0


@pytest.mark.data
def test_scores_one_by_one_are_those_of_all_rules_together(tiny: tuple[ExactData, Network]) -> None:
    data, network = tiny
    rules = data.grammar.rules[:300]
    scorer = RuleScorer(forward_of(network))
    expected = mean_scores(network, rules)
    assert [score for rule in rules for score in scorer([rule])] == pytest.approx(expected)
    assert scorer(rules) == pytest.approx(expected)


@pytest.mark.data
def test_the_fast_decoder_finds_the_best_of_all_derivations(
    tiny: tuple[ExactData, Network],
    query_oracle: Oracle,
    query_train: list[Example],
) -> None:
    _, network = tiny
    forward = forward_of(network)
    reader = query_oracle.reader
    decoder = ChartDecoder(forward, reader.categories, ())
    readings = [reader.read(row.tokens) for row in short(query_train, 8, 25)]
    decoded = decoder.best_of_each(readings, overlook=False)
    for reading, found in zip(readings, decoded, strict=True):
        grammar = Grammar(reader.categories)
        chart = legal_chart(grammar, reading.skeleton)
        (by_member,) = leaf_scores(forward, [reading])
        leaves = {leaf: scores[0].tolist() for leaf, scores in by_member.items()}
        scores = mean_scores(network, grammar.rules)
        (best,) = best_programs(grammar, chart, scores, leaves.__getitem__, 1)
        assert found.program is not None
        assert found.program.score == pytest.approx(best.score)


def name(form: str) -> Entry:
    return Entry(Primitive("Entity", form), 1)


LEXICON = Lexicon(
    "geo",
    {
        ("texas",): (name("stateid('texas')"),),
        ("ohio",): (name("stateid('ohio')"), name("riverid('ohio')")),
        ("new", "york"): (name("stateid('new york')"), name("cityid('new york', _)")),
        ("red",): (name("riverid('red')"),),
    },
    {"of": 1},
)


def row(sentence: str, form: str) -> Example:
    return Example(tuple(sentence.split()), form, "", "here:1")


def copies(*rows: Example) -> list[tuple[str, str]]:
    made = renamed_rows(rows, LEXICON, random.Random(1))
    return [(example.sentence, example.form) for example in made]


def test_a_name_is_replaced_by_one_of_each_choice_of_sorts() -> None:
    texas = row("capital of texas", "answer(capital(loc_2(stateid('texas'))))")
    assert copies(texas) == [
        ("capital of ohio", "answer(capital(loc_2(stateid('ohio'))))"),
        ("capital of new york", "answer(capital(loc_2(stateid('new york'))))"),
    ]
    red = row("length of red", "answer(len(riverid('red')))")
    assert copies(red) == [("length of ohio", "answer(len(riverid('ohio')))")]


def test_no_copy_is_the_row_itself_or_has_a_name_twice() -> None:
    ohio = row("length of ohio", "answer(len(riverid('ohio')))")
    assert copies(ohio) == []
    both = row("ohio texas", "answer(intersection(stateid('ohio'), stateid('texas')))")
    assert [sentence for sentence, _ in copies(both)] == ["new york texas", "ohio new york"]
    twice = row("texas texas", "answer(intersection(stateid('texas'), stateid('texas')))")
    assert copies(twice) == []


@pytest.mark.data
def test_copies_of_real_rows_differ_in_one_name_and_are_well_formed(
    load_geo: Callable[[Benchmark, str], list[Example]], geo_data: Path
) -> None:
    rows = load_geo(STANDARD, "train")
    names = GEO.words.gazetteer(STANDARD, lambda file: geo_data / file.path)
    lexicon = GEO.words.induce(rows, names)
    made = list(renamed_rows(rows, lexicon, random.Random(1)))
    assert len(made) > len(rows)
    assert made == list(renamed_rows(rows, lexicon, random.Random(1)))
    originals = {example.source: example for example in rows}
    for copy in made:
        read_program(copy.form)
        original = originals[copy.source]
        assert copy.sentence != original.sentence
        assert copy.form.count("(") == original.form.count("(")


def test_a_domain_without_such_names_says_so() -> None:
    config = load_config(
        find_recipe("any", "reinforce"), {"benchmark": '"toy"', "extra_rows": "renamed"}
    )
    with pytest.raises(UsageError, match="domain 'toy' has no names of several sorts"):
        make_learner(config, TOY, TOY.words.induce(TRAIN, ()), TRAIN)


# As in docs/confidence.md.
EXPECTED = {
    "tune": {"answerable": 60, "right": 50, "to_refuse": 40, "answered": 2},
    "check": {"answerable": 60, "right": 44, "to_refuse": 40, "answered": 2},
}


@pytest.mark.slow
@pytest.mark.parametrize("part", EXPECTED)
def test_free_questions_are_answered_as_the_documentation_says(part: str) -> None:
    counts = count(lear.Parser.from_pretrained("geo"), part)._asdict()
    assert {name: counts[name] for name in EXPECTED[part]} == EXPECTED[part]
