"""GEO's grammar: categories decide what is legal, guides lose nothing, fast search is exact."""

from pathlib import Path

import pytest
import torch

from lear.core.algebra import MeaningTable
from lear.core.lexicon import UNKNOWN, Lexicon, Primitive
from lear.decoding.chart_decoder import ChartDecoder
from lear.domain.example import Benchmark, Example
from lear.domains.geo.corpus import HELD_OUT, QUERY, STANDARD
from lear.domains.geo.domain import GEO
from lear.evaluation.coverage import Unreached, coverage
from lear.exact.objective import exact_loss
from lear.exact.problems import ExactData, make_problems
from lear.grammar.categories import CategoryTable
from lear.grammar.grammar import Analyser, Grammar
from lear.network.config import ModelConfig
from lear.network.lexical_choices import leaf_scores
from lear.network.network import Network
from lear.network.rule_score_cache import RuleScorer
from lear.network.rule_scores import network_scores, rule_scores
from lear.network.vocabulary import Vocabulary
from lear.search.chart import Budget
from lear.search.forest import Forest
from lear.search.legal_chart import best_programs
from lear.search.oracle import Oracle
from lear.training.config import load_config
from tests.test_categories import check_congruence

UNITS = ModelConfig(hidden=8, lexical="units", search="legal")


def load(geo_folder: Path, benchmark: Benchmark, part: str) -> list[Example]:
    return GEO.corpus.load(benchmark, part, lambda file: geo_folder.parent / file.path)


@pytest.fixture(scope="session")
def query_train(geo_folder: Path) -> list[Example]:
    return load(geo_folder, QUERY, "train")


@pytest.fixture(scope="session")
def query_oracle(query_train: list[Example]) -> Oracle:
    return Oracle.of(GEO, GEO.words.induce(query_train))


@pytest.fixture(scope="session")
def names_lexicon(geo_folder: Path) -> Lexicon:
    """The lexicon of the questions with real names."""
    assert GEO.names is not None
    names = GEO.names(STANDARD, lambda file: geo_folder.parent / file.path)
    return GEO.words.induce([*load(geo_folder, STANDARD, "train"), *names])


def short(rows: list[Example], most: int, count: int) -> list[Example]:
    return [row for row in rows if len(row.tokens) <= most][:count]


def test_categories_are_a_congruence(query_oracle: Oracle, query_train: list[Example]) -> None:
    assert check_congruence(query_oracle, short(query_train, 6, 8)).num_categories > 50


def test_the_guide_loses_no_derivation(query_oracle: Oracle, query_train: list[Example]) -> None:
    for row in short(query_train, 7, 25):
        table = MeaningTable(GEO.language.algebra)
        gold = GEO.language.read_gold(row, table)
        chart = query_oracle.search(row.tokens, table)
        roots = [
            item
            for item in chart.cell(0, len(row.tokens))
            if GEO.language.algebra.is_complete(item.value)
            and GEO.language.finish(item.value, table) is gold
        ]
        unguided = sum(Forest(root).count() for root in roots)
        guided = query_oracle.gold_forest(row)
        assert (guided.count() if guided else 0) == unguided > 0


@pytest.fixture(scope="session")
def tiny(query_oracle: Oracle, query_train: list[Example]) -> tuple[ExactData, Network]:
    """Forests of some rows, and a network that knows nothing yet."""
    rows = short(query_train, 9, 40)
    data = prepare(GEO, query_oracle.lexicon, rows, config=UNITS)
    torch.manual_seed(1)
    return data, Network(UNITS, Vocabulary.of(GEO, query_oracle.lexicon, data.symbols)).double()


def test_derivations_of_gold_are_legal_ones(tiny: tuple[ExactData, Network]) -> None:
    data, network = tiny
    assert data.num_unreached == 0
    for problem in data.problems:
        assert exact_loss(network, data.grammar.rules, [problem]).item() >= 0


def test_scores_one_by_one_are_those_of_all_rules_together(tiny: tuple[ExactData, Network]) -> None:
    data, network = tiny
    rules = data.grammar.rules[:300]
    scorer = RuleScorer(network)
    with torch.no_grad():
        expected = rule_scores(network, rules).tolist()
    assert [scorer(rule) for rule in rules] == pytest.approx(expected, abs=1e-4)


def test_the_fast_decoder_finds_the_best_of_all_derivations(
    tiny: tuple[ExactData, Network],
    query_oracle: Oracle,
    query_train: list[Example],
) -> None:
    _, network = tiny
    categories = CategoryTable(GEO)
    analyser = Analyser(GEO, query_oracle.lexicon, categories)
    decoder = ChartDecoder(network, categories, (), analyser.leaf_categories())
    readings = [reader.read(row.tokens) for row in short(query_train, 8, 25)]
    for reading, found in zip(readings, decoder.best_of_each(readings), strict=True):
        grammar = Grammar(categories)
        chart = grammar.chart(reading.skeleton)
        (leaves,) = leaf_scores(network, [reading])
        scores = network_scores(network, grammar.rules)
        (best,) = best_programs(grammar, chart, scores, leaves.__getitem__, 1)
        assert found.program is not None
        assert found.program.score == pytest.approx(best.score, abs=1e-3)


def test_parsers_and_coverage_agree_on_what_may_be_dropped(
    query_oracle: Oracle, query_train: list[Example]
) -> None:
    analyser = Analyser(GEO, query_oracle.lexicon, CategoryTable(GEO))
    for row in query_train:
        relaxed = reader.read(row.tokens).relaxed.words
        assert [word is not None for word in relaxed] == query_oracle.may_be_dropped(row.tokens)
        assert not any(query_oracle.may_be_dropped(("var0", "var1")))


def test_words_are_dropped_only_where_there_is_no_other_way(query_oracle: Oracle) -> None:
    tokens = GEO.words.tokenize("how many states have cities towns named var0")
    row = Example(tokens, "answer(count(state(loc_1(city(var0)))))", "", "here")
    assert query_oracle.gold_forest(row) is None
    assert query_oracle.gold_forest(row, overlook=True) is not None


@pytest.mark.parametrize(("part", "least"), [("train", 0.98), ("dev", 0.94)])
def test_coverage_of_the_query_split(
    geo_folder: Path, query_oracle: Oracle, part: str, least: float
) -> None:
    rows = load(geo_folder, QUERY, part)
    oracle = Oracle.of(GEO, query_oracle.lexicon, Budget(1_000_000))
    lost = [found for found in coverage(oracle, rows) if isinstance(found, Unreached)]
    assert 1 - len(lost) / len(rows) >= least


def entities(lexicon: Lexicon, *unit: str) -> set[str]:
    return {entry.primitive.symbol for entry in lexicon.units.get(unit, ())}


def test_names_come_from_geobase_and_from_training_rows(names_lexicon: Lexicon) -> None:
    assert entities(names_lexicon, "mississippi") == {
        "stateid('mississippi')",
        "riverid('mississippi')",
    }
    assert entities(names_lexicon, "new", "york") == {
        "stateid('new york')",
        "cityid('new york', _)",
    }
    assert entities(names_lexicon, "united", "states") == {"countryid('usa')"}
    assert entities(names_lexicon, "in").isdisjoint({"stateid('indiana')"})
    assert "stateid('georgia')" in entities(names_lexicon, "ga")
    # A city that training never mentions.
    assert entities(names_lexicon, "wichita", "falls") == {"cityid('wichita falls', _)"}


def test_words_are_induced_with_several_candidates(names_lexicon: Lexicon) -> None:
    def symbols(word: str) -> set[str]:
        return {entry.primitive.symbol for entry in names_lexicon.units.get((word,), ())}

    assert symbols("capital") >= {"capital"}
    assert symbols("largest") >= {"largest", "largest_one"}
    assert symbols("runs") == {"traverse_1", "traverse_2"}
    assert names_lexicon.units["not",][0].primitive == Primitive("Negation", "exclude")
    assert names_lexicon.function_word("the") == "the"
    assert names_lexicon.function_word("meanders") == UNKNOWN
    assert names_lexicon.function_word("capital") in (None, "capital")


def test_a_model_sees_names_by_their_sorts(names_lexicon: Lexicon) -> None:
    analyser = Analyser(GEO, names_lexicon, CategoryTable(GEO))
    view = reader.read(("rivers", "in", "texas", "xyzzy")).view
    assert view == ("rivers", "in", "<Entity state>", UNKNOWN)
    assert reader.read(("rivers", "in", "ohio")).view[2] == "<Entity river | Entity state>"


def test_the_config_says_what_the_domain_says() -> None:
    path = Path(__file__).parents[3] / "configs/geo-exact.toml"
    settings = {**GEO.settings, "benchmark": '"geo/standard"'}
    assert load_config(path, {}) == load_config(None, settings)


def test_post_processing_can_be_left_out() -> None:
    table = MeaningTable(GEO.language.algebra)
    meaning = GEO.words.ground(Primitive("Predicate", "river"), 0, table)
    assert GEO.language.render(GEO.language.finish(meaning, table)) == "answer(river(all))"
    assert (
        GEO.language.render(GEO.language.finish(meaning, table, skip=("fill_all",)))
        == "answer(river(?))"
    )


def test_the_rows_held_out_are_rows_of_the_600(geo_folder: Path) -> None:
    train, dev = (load(geo_folder, HELD_OUT, part) for part in ("train", "dev"))
    whole, test = (load(geo_folder, STANDARD, part) for part in ("train", "test"))
    assert (len(train), len(dev), len(whole), len(test)) == (500, 100, 600, 280)
    assert {row.source for row in train} | {row.source for row in dev} == {r.source for r in whole}
    assert {row.source for row in whole}.isdisjoint(row.source for row in test)
