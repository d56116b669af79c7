"""Settings and recipes: what is saved reads back, and what does not fit is one line."""

from pathlib import Path

import msgspec
import pytest

from lear.domains.registry import find_benchmark
from lear.errors import UsageError
from lear.learning import config as run_config
from lear.learning.config import (
    ANY_DOMAIN,
    DEFAULT,
    RunConfig,
    Stage,
    find_recipe,
    load_config,
    to_toml,
)
from lear.learning.speed import bench_recipe
from lear.storage.files import read_toml
from tests.support.runs import POLICY, config

BENCHMARK = {"benchmark": '"toy/deep"'}
RECIPES = ("best", "paper", "reinforce")
DOMAINS = ("cogs", "cfq", "geo", "toy", "a language of one's own")


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "some.toml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_saved_settings_read_back(tmp_path: Path) -> None:
    settings = config(**POLICY, seed="7", optim__alpha="0.5", model__abstraction="false")
    assert (settings.seed, settings.optim.alpha, settings.model.abstraction) == (7, 0.5, False)
    assert load_config(written(tmp_path, to_toml(settings)), {}) == settings
    stages = "[{epochs = 2, rate = 0.5, final_rate = 0.0, enough = 0.9}, {epochs = 1}]"
    settings = config(curriculum=stages, dev_every="0.25", optim__averaging="0.99")
    assert settings.curriculum == (
        Stage(epochs=2, rate=0.5, final_rate=0.0, enough=0.9),
        Stage(epochs=1),
    )
    assert load_config(written(tmp_path, to_toml(settings)), {}) == settings


def test_flags_come_on_top_of_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, 'benchmark = "toy"\nseed = 3\n[model]\nhidden = 8\n')
    settings = load_config(path, {"model.hidden": "9", "optim.alpha": "0.5"})
    assert (settings.seed, settings.model.hidden, settings.optim.alpha) == (3, 9, 0.5)


def test_a_file_of_another_system_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, b"\xef\xbb\xbfbenchmark = 'toy'\r\nseed = 5\r\n")
    assert load_config(path, {}).seed == 5


REINFORCE = "[optim]\nobjective = 'reinforce'"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[model]\nhiden = 3", "hidden"),
        ("[model]\nhidden = 'many'", "int"),
        ("[optim]\nobjective = 'luck'", "luck"),
        ("[model]\nsymbols = 'latent'", "'exact' needs model.symbols = 'typed'"),
        ("[model]\nencoder = 'span'", "model.encoder = 'tree'"),
        (f"[model]\nsymbols = 'latent'\nmembers = 2\n{REINFORCE}", "members"),
        (
            f"[model]\nsymbols = 'latent'\nleaf_symbols = 'typed'\n{REINFORCE}",
            "model.leaf_symbols = 'typed' needs model.nothing = 'interpreter'",
        ),
        (
            f"[model]\nleaf_symbols = 'typed'\nnothing = 'interpreter'\n{REINFORCE}",
            "model.leaf_symbols = 'typed' needs model.symbols = 'latent'",
        ),
        ("[optim]\naveraging = 1.0", "averaging"),
        ("[optim]\nlearning_rate = inf", "<= 1e+30"),
        ("[optim]\nlearning_rate = nan", "Expected `float` >= 0"),
        ("[optim]\nmax_problems = 10000000000", "Expected `int` <="),
        ("dev_every = 0", "dev_every"),
        ("curriculum = [{epochs = 1, enough = 1.1}]", "enough"),
        ("curriculum = [{epochs = 1, final_rate = -1}]", "final_rate"),
        ("curriculum = [{epochs = -1}]", "Expected `int` >= 1"),
        ("curriculum = []", "length >= 1"),
        ("lexicon = 'stolen'", "stolen"),
        ("speed = 3", "seed"),
        ("seed = -1", ">= 0"),
        (b"seed = " + b"1" * 900, "Expected `int` <= 4294967295"),
        ("threads = 0", "Expected `int` >= 1"),
        ("threads = 100000", "<= 256"),
        ("device = 'toaster'", "device 'toaster' cannot be used"),
        ("not toml", "not a config"),
        (b"seed = " + b"[" * 500, "nested too deeply"),
        (b"a." * 20_000 + b"a = 1", "a line with more than 100 dots"),
        (b"\n" * 1_000_001, "longer than 1,000,000 characters"),
        (b"x = " + b"a." * 90 + b"a", "not a config"),
        (b"seed = 1\nseed = 2", "not a config"),
        (b"\xff", "not a config"),
        (b"\x00", "not a config"),
    ],
    ids=lambda value: repr(value[:30]),
)
def test_a_file_that_does_not_fit_is_one_line_that_names_it(
    tmp_path: Path, content: str | bytes, said: str
) -> None:
    lines = content.encode() if isinstance(content, str) else content
    path = written(tmp_path, b"benchmark = 'toy'\n" + lines)
    with pytest.raises(UsageError) as caught:
        load_config(path, {})
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", ["[" * 500, "[" * 100_000, "1" * 5_000])
def test_a_crafted_flag_is_one_line(value: str) -> None:
    with pytest.raises(UsageError, match="Expected `int`"):
        load_config(None, {"benchmark": "toy", "seed": value})


def test_an_error_names_the_flags_or_the_file_and_the_file_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def once(file: Path, what: str) -> dict[str, object]:
        read.append(file)
        return read_toml(file, what)

    monkeypatch.setattr(run_config, "read_toml", once)
    path = written(tmp_path, "[model]\nhidden = 8\n")
    assert load_config(path, {**BENCHMARK, "model.hidden": "9"}).model.hidden == 9
    with pytest.raises(UsageError, match=r"^flags: .*hidden"):
        load_config(path, {**BENCHMARK, "model.hiden": "3"})
    with pytest.raises(UsageError, match=rf"^{path}: .*`benchmark`"):
        load_config(path, {})
    assert read == [path] * 3


# Recipes.


def recipe(domain: str, name: str) -> RunConfig:
    return load_config(find_recipe(domain, name), {"benchmark": '"toy"'})


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_domain_has_every_recipe(domain: str) -> None:
    best, paper, reinforce = (recipe(domain, name) for name in RECIPES)
    assert best.optim.objective == "exact"
    assert (paper.optim.objective, paper.model.symbols) == ("reinforce", "latent")
    assert paper.optim.replay == 0
    assert reinforce.optim.objective == "reinforce"
    assert find_recipe(domain) == find_recipe(domain, DEFAULT) == find_recipe(domain, "best")
    for name in RECIPES:  # none names a benchmark
        with pytest.raises(UsageError, match="`benchmark`"):
            load_config(find_recipe(domain, name), {})


def test_a_domain_without_recipes_uses_those_of_any_and_may_bring_its_own(tmp_path: Path) -> None:
    assert find_recipe("toy", "paper") == find_recipe(ANY_DOMAIN, "paper")
    assert find_recipe("cogs", "paper") != find_recipe(ANY_DOMAIN, "paper")
    own = tmp_path / "best.toml"
    own.write_text("[model]\nhidden = 7\n")
    assert find_recipe("mine", own=tmp_path) == own
    assert load_config(own, BENCHMARK).model.hidden == 7
    with pytest.raises(UsageError, match="unknown recipe 'papre'; did you mean 'paper'"):
        find_recipe("cogs", "papre")


def test_a_domain_is_trained_with_its_own_settings_by_default() -> None:
    cfq, geo, cogs = (recipe(name, DEFAULT) for name in ("cfq", "geo", "cogs"))
    assert (cfq.optim.contrast, cfq.optim.max_problems) == ("attested", 8000)
    assert (geo.model.members, geo.model.search, geo.optim.batch_size) == (5, "legal", 64)
    assert (cogs.model.members, cogs.optim.contrast, cogs.optim.batch_size) == (1, "legal", 256)


def test_bench_measures_reinforce_without_replay_the_same_for_every_domain() -> None:
    found = [bench_recipe(find_benchmark(name)[1], seed=2) for name in ("cogs", "cfq", "geo")]
    assert [settings.benchmark for settings in found] == ["cogs/gen", "cfq/mcd1", "geo/standard"]
    assert {settings.seed for settings in found} == {2}
    assert found[0].model == found[1].model == found[2].model == recipe("cogs", "reinforce").model
    assert found[0].optim == found[1].optim == found[2].optim
    assert found[0].optim == msgspec.structs.replace(recipe("cogs", "reinforce").optim, replay=0.0)
