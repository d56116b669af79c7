"""From settings and rows to a learner: what does not go together is one clear line."""

from pathlib import Path

import pytest

from lear.domain import Domain
from lear.domains.cogs.domain import COGS
from lear.domains.geo.domain import GEO
from lear.domains.toy import TOY
from lear.errors import UsageError
from lear.learning.config import RunConfig
from lear.learning.run import Learner, make_learner, train
from lear.learning.run_folder import RunFolder
from lear.policy.gradient import ReinforceObjective
from tests.support.runs import POLICY, config
from tests.support.total_domains import total_domains
from tests.support.toy_rows import DEV, TRAIN

TYPED_LEAVES = {
    **POLICY,
    "model__nothing": '"interpreter"',
    "model__leaf_symbols": '"typed"',
    "model__units": '"found"',
}
TOTAL = {**TYPED_LEAVES, "model__algebra": '"total"', "model__merging": '"free"'}


def learner(name: str, settings: RunConfig) -> Learner:
    small = total_domains()[name]
    return make_learner(settings, small.domain, small.lexicon, small.rows)


def refusal(settings: RunConfig, domain: Domain, folder: Path) -> str:
    """The one line that a run is refused with."""
    rows = {"train": TRAIN[:50], "dev": DEV[:10]}
    with pytest.raises(UsageError) as caught:
        train(settings, domain, rows, RunFolder(folder))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_domain_without_a_total_algebra_says_so(tmp_path: Path) -> None:
    settings = config(**POLICY, model__algebra='"total"')
    assert refusal(settings, TOY, tmp_path) == "domain 'toy' has no total algebra"
    # And does not block the folder.
    assert refusal(settings, TOY, tmp_path) == "domain 'toy' has no total algebra"


def test_a_domain_without_entries_by_hand_says_so(tmp_path: Path) -> None:
    by_hand = config(**POLICY, lexicon='"by_hand"')
    assert "domain 'toy' has no entries by hand" in refusal(by_hand, TOY, tmp_path / "toy")
    assert "domain 'geo' has no entries by hand" in refusal(by_hand, GEO, tmp_path / "geo")
    total = config(**TOTAL, lexicon='"by_hand"')
    assert "domain 'cogs' has no entries by hand" in refusal(total, COGS, tmp_path / "cogs")


def test_more_types_of_leaves_than_symbols_are_refused(tmp_path: Path) -> None:
    settings = config(**TYPED_LEAVES, model__nonterminals="2")
    said = refusal(settings, TOY, tmp_path)
    assert said.startswith("leaves have ")
    assert "Person" in said
    assert said.endswith("more than model.nonterminals = 2")


@pytest.mark.parametrize("name", total_domains())
def test_the_first_symbols_are_the_types_of_leaves_and_others_are_numbered(name: str) -> None:
    found = learner(name, config(**TOTAL, model__nonterminals="5"))
    reader = total_domains()[name].oracle.reader
    types = {reader.categories.argument_symbol(leaf) for leaf in reader.leaf_categories()}
    symbols = found.network.vocabulary.symbols
    assert symbols[: len(types)] == tuple(sorted(types))
    assert symbols[len(types) :] == tuple(f"N{number}" for number in range(len(types), 5))
    free = learner(name, config(**POLICY, model__nonterminals="3"))
    assert free.network.vocabulary.symbols == ("N0", "N1", "N2")


@pytest.mark.parametrize("legality", ["types", "any"])
def test_legality_decides_whether_types_advise(legality: str) -> None:
    found = learner("geo", config(**TOTAL, model__nonterminals="3", model__legality=legality))
    objective = found.objective
    assert isinstance(objective, ReinforceObjective)
    leaves = sorted(objective.reader.leaf_categories())
    pairs = [(left, right) for left in leaves for right in leaves]
    every = objective.reader.categories.restricted(None, by_types=False)
    assert found.attested is None
    is_narrower = [
        len(objective.categories.combinations(pair)) < len(every.combinations(pair))
        for pair in pairs
    ]
    assert any(is_narrower) == (legality == "types")


@pytest.mark.parametrize("nothing", ["composer", "interpreter"])
def test_nothing_is_a_primitive_where_the_interpreter_chooses_it(nothing: str) -> None:
    found = learner("cogs", config(**POLICY, model__nothing=f'"{nothing}"'))
    kinds = {primitive.type for primitive in found.network.vocabulary.primitives}
    assert ("Nothing" in kinds) == (nothing == "interpreter")
    objective = found.objective
    assert isinstance(objective, ReinforceObjective)
    assert objective.reader.may_be_nothing == (nothing == "interpreter")
