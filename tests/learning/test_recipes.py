"""Recipes: every domain has the three of them, and all can be read."""

from pathlib import Path

import msgspec
import pytest

from lear.domains.registry import find_benchmark
from lear.errors import UsageError
from lear.learning.config import ANY_DOMAIN, DEFAULT, RunConfig, find_recipe, load_config
from lear.learning.speed import bench_recipe

RECIPES = ("best", "paper", "reinforce")
DOMAINS = ("cogs", "cfq", "geo", "toy", "a language of one's own")

BENCHMARK = {"benchmark": '"toy/deep"'}


def recipe(domain: str, name: str) -> RunConfig:
    return load_config(find_recipe(domain, name), {"benchmark": '"toy"'})


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_domain_has_every_recipe(domain: str) -> None:
    best, paper, reinforce = (recipe(domain, name) for name in RECIPES)
    assert best.optim.objective == "exact"
    assert (paper.optim.objective, paper.model.symbols) == ("reinforce", "latent")
    assert paper.optim.replay == 0
    assert reinforce.optim.objective == "reinforce"
    assert DEFAULT == "best"
    assert find_recipe(domain) == find_recipe(domain, DEFAULT)


def test_a_recipe_names_no_benchmark() -> None:
    for domain in DOMAINS:
        for name in RECIPES:
            with pytest.raises(UsageError, match="`benchmark`"):
                load_config(find_recipe(domain, name), {})


def test_a_domain_without_recipes_uses_those_of_any() -> None:
    assert find_recipe("toy", "paper") == find_recipe(ANY_DOMAIN, "paper")
    assert find_recipe("cogs", "paper") != find_recipe(ANY_DOMAIN, "paper")


def test_an_unknown_recipe_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="unknown recipe 'papre'; did you mean 'paper'"):
        find_recipe("cogs", "papre")


def test_bench_measures_reinforce_without_replay_the_same_for_every_domain() -> None:
    found = [bench_recipe(find_benchmark(name)[1], seed=2) for name in ("cogs", "cfq", "geo")]
    assert [settings.benchmark for settings in found] == ["cogs/gen", "cfq/mcd1", "geo/standard"]
    assert {settings.seed for settings in found} == {2}
    assert found[0].model == found[1].model == found[2].model == recipe("cogs", "reinforce").model
    assert found[0].optim == found[1].optim == found[2].optim
    assert found[0].optim == msgspec.structs.replace(recipe("cogs", "reinforce").optim, replay=0.0)


def test_a_domain_of_ones_own_may_bring_its_recipes(tmp_path: Path) -> None:
    own = tmp_path / "best.toml"
    own.write_text("[model]\nhidden = 7\n")
    assert find_recipe("mine", own=tmp_path) == own
    assert load_config(own, BENCHMARK).model.hidden == 7


def test_an_error_names_the_flags_or_the_file_whichever_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^flags: .*hiden"):
        load_config(find_recipe("toy"), {**BENCHMARK, "model.hiden": "3"})
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[model]\nhidden = -1\n")
    with pytest.raises(UsageError, match=r"wrong\.toml"):
        load_config(wrong, BENCHMARK)


def test_a_domain_is_trained_with_its_own_settings_by_default() -> None:
    cfq, geo, cogs = (recipe(name, DEFAULT) for name in ("cfq", "geo", "cogs"))
    assert (cfq.optim.contrast, cfq.optim.max_problems) == ("attested", 8000)
    assert (geo.model.members, geo.model.search, geo.optim.batch_size) == (5, "legal", 64)
    assert (cogs.model.members, cogs.optim.contrast, cogs.optim.batch_size) == (1, "legal", 256)
