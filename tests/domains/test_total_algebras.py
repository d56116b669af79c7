"""Total algebras: any two constituents combine, and whatever comes of it is an answer."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from lear.algebra.algebra import Meaning, MeaningTable
from lear.benchmark import Example
from lear.domain import Domain
from lear.domains.cfq.domain import TOTAL_CFQ
from lear.domains.cogs.domain import TOTAL_COGS
from lear.domains.geo.corpus import QUERY
from lear.domains.geo.domain import TOTAL_GEO
from lear.domains.registry import find_domain
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import SentenceReader
from lear.learning.config import find_recipe, load_config
from lear.learning.run import make_learner
from lear.lexicon.lexicon import Lexicon
from lear.policy.gradient import ReinforceObjective
from lear.policy.rollouts import NO_TREE
from lear.policy.steps import NONE
from tests.support.congruence import check_meanings
from tests.support.total_domains import total_domains
from tests.support.total_meanings import primitives_of, random_meanings, reachable

MOST_CATEGORIES = 60
FEW_CATEGORIES = 8
NUM_ROWS = 50


@dataclass(frozen=True)
class Total:
    """A total domain with a lexicon, and sentences to be read with it."""

    domain: Domain
    lexicon: Lexicon
    sentences: Sequence[tuple[str, ...]]

    @property
    def reader(self) -> SentenceReader:
        return SentenceReader(self.domain, self.lexicon, may_be_nothing=True)

    def meanings(self, number: int) -> tuple[list[Meaning], MeaningTable]:
        """Random ones, and their table."""
        table = MeaningTable(self.domain.language.algebra)
        primitives = primitives_of(self.reader, self.sentences)
        return random_meanings(self.domain, primitives, number, table), table

    def check_closure(self, most: int, *, by_types: bool) -> list[str]:
        """Every ordered pair of categories has an operation; the names of the categories."""
        categories = CategoryTable(self.domain).restricted(None, by_types=by_types)
        reader = SentenceReader(self.domain, self.lexicon, categories)
        primitives = primitives_of(reader, self.sentences)
        leaves = [category for category, _ in reader.by_category(primitives)]
        found = reachable(categories, leaves, most)
        for left in found:
            for right in found:
                pair = categories.name(left), categories.name(right)
                assert categories.combinations((left, right)), pair
        return [categories.name(number) for number in found]


SMALL = {
    name: Total(small.domain, small.lexicon, small.sentences)
    for name, small in total_domains().items()
}
on_each = pytest.mark.parametrize("total", SMALL.values(), ids=SMALL)


@on_each
@pytest.mark.parametrize("by_types", [True, False])
def test_any_two_categories_combine(total: Total, by_types: bool) -> None:
    names = total.check_closure(MOST_CATEGORIES, by_types=by_types)
    types = {name.split()[0].split(":")[0] for name in names}
    algebra = total.domain.language.algebra
    results = {kind.__name__ for operation in algebra.operations for kind in operation.results}
    assert types >= results  # all of them were met


@on_each
def test_categories_are_a_congruence(total: Total) -> None:
    meanings, table = total.meanings(80)
    categories = CategoryTable(total.domain).restricted(None, by_types=False)
    check_meanings(categories, meanings, table)
    assert categories.num_categories < len(table)


@on_each
def test_every_complete_meaning_is_finished_and_rendered(total: Total) -> None:
    meanings, table = total.meanings(300)
    language = total.domain.language
    strict = find_domain(total.domain.name).language.algebra
    types = {kind for operation in strict.operations for kind in operation.results}
    types |= {kind for op in strict.operations for kinds in op.arguments for kind in kinds}
    forms = set()
    for meaning in filter(language.algebra.is_complete, meanings):
        for tokens in total.sentences:
            finished = language.finish(meaning, tokens, table)
            assert type(finished) in types
            forms.add(language.render(finished))
    assert len(forms) > len(meanings) / 2


@pytest.fixture(scope="module", params=["cogs", "cfq", "geo"])
def real(request: pytest.FixtureRequest) -> tuple[Total, list[Example]]:
    """A total domain with its own lexicon, and some training rows."""
    rows: list[Example]
    if request.param == "geo":
        folder = request.getfixturevalue("geo_data")
        rows = TOTAL_GEO.corpus.load(QUERY, "train", lambda file: folder / file.path)
        assert TOTAL_GEO.words.by_hand is not None
        domain, lexicon = TOTAL_GEO, TOTAL_GEO.words.by_hand(rows, ())
    elif request.param == "cfq":
        rows = request.getfixturevalue("cfq_train")
        domain, lexicon = TOTAL_CFQ, request.getfixturevalue("cfq_oracle").lexicon
    else:
        rows = request.getfixturevalue("cogs_train")[:3000]
        domain, lexicon = TOTAL_COGS, TOTAL_COGS.words.induce(rows, ())
    sample = random.Random(1).sample(rows, NUM_ROWS)
    return Total(domain, lexicon, [row.tokens for row in sample]), sample


@pytest.mark.data
@pytest.mark.slow
def test_any_two_categories_of_the_real_lexicon_combine(real: tuple[Total, list[Example]]) -> None:
    total, _ = real
    assert len(total.check_closure(MOST_CATEGORIES, by_types=True)) >= FEW_CATEGORIES


@pytest.mark.data
@pytest.mark.slow
def test_no_rollout_of_a_new_network_is_a_dead_end(real: tuple[Total, list[Example]]) -> None:
    total, rows = real
    recipe = find_recipe(total.domain.name, "paper")
    config = load_config(recipe, {"benchmark": '"none"', "model.hidden": "8"})
    learner = make_learner(config, total.domain, total.lexicon, rows)
    objective = learner.objective
    assert isinstance(objective, ReinforceObjective)
    policy, rng = objective.new_policy(), np.random.default_rng(1)
    draws = policy.draws([objective.reader.read(row.tokens) for row in rows], 5, rng)
    rollouts = policy.roll_out(draws, rng)
    assert (rollouts.final != NONE).all()
    # Only where no word stands for anything there is no answer.
    assert set(rollouts.answers(policy)) == set(np.nonzero(rollouts.trees != NO_TREE)[0])
    assert (rollouts.trees != NO_TREE).mean() > 0.98
