"""Settings: what is saved reads back, and what does not fit is named."""

from pathlib import Path

import pytest

from lear.errors import UsageError
from lear.learning import config as run_config
from lear.learning.config import Stage, load_config, to_toml
from lear.storage.files import read_toml
from tests.support.runs import POLICY, config


def test_the_saved_config_reads_back_as_the_config(tmp_path: Path) -> None:
    settings = config(**POLICY, seed="7", optim__alpha="0.5", model__abstraction="false")
    assert (settings.seed, settings.optim.alpha, settings.model.abstraction) == (7, 0.5, False)
    path = tmp_path / "config.toml"
    path.write_text(to_toml(settings))
    assert load_config(path, {}) == settings


def test_settings_of_lessons_read_back(tmp_path: Path) -> None:
    lessons = "[{epochs = 2, rate = 0.5, final_rate = 0.0, enough = 0.9}, {epochs = 1}]"
    settings = config(curriculum=lessons, dev_every="0.25", optim__averaging="0.99")
    assert settings.curriculum == (
        Stage(epochs=2, rate=0.5, final_rate=0.0, enough=0.9),
        Stage(epochs=1),
    )
    path = tmp_path / "config.toml"
    path.write_text(to_toml(settings))
    assert load_config(path, {}) == settings


def test_flags_come_on_top_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text('benchmark = "toy"\nseed = 3\n[model]\nhidden = 8\n')
    settings = load_config(path, {"model.hidden": "9", "optim.alpha": "0.5"})
    assert (settings.seed, settings.model.hidden, settings.optim.alpha) == (3, 9, 0.5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[model]\nhiden = 3", "hidden"),
        ("[model]\nhidden = 'many'", "int"),
        ("[optim]\nobjective = 'luck'", "luck"),
        ("[model]\nsymbols = 'latent'", "'exact' needs model.symbols = 'typed'"),
        ("[model]\nencoder = 'span'", "model.encoder = 'tree'"),
        ("[model]\nsymbols = 'latent'\nmembers = 2\n[optim]\nobjective = 'reinforce'", "members"),
        (
            "[model]\nsymbols = 'latent'\nleaf_symbols = 'typed'\n[optim]\nobjective = 'reinforce'",
            "model.leaf_symbols = 'typed' needs model.nothing = 'interpreter'",
        ),
        (
            "[model]\nleaf_symbols = 'typed'\nnothing = 'interpreter'\n"
            "[optim]\nobjective = 'reinforce'",
            "model.leaf_symbols = 'typed' needs model.symbols = 'latent'",
        ),
        ("[optim]\naveraging = 1.0", "averaging"),
        ("dev_every = 0", "dev_every"),
        ("curriculum = [{epochs = 1, enough = 1.1}]", "enough"),
        ("curriculum = [{epochs = 1, final_rate = -1}]", "final_rate"),
        ("lexicon = 'stolen'", "stolen"),
        ("speed = 3", "seed"),
        ("seed = -1", ">= 0"),
        ("threads = 100000", "<= 256"),
        ("curriculum = []", "length >= 1"),
        ("[optim]\nlearning_rate = inf", "<= 1e+30"),
        ("device = 'toaster'", "device 'toaster' cannot be used"),
    ],
)
def test_a_config_that_does_not_fit_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(f'benchmark = "toy"\n{text}')
    with pytest.raises(UsageError) as caught:
        load_config(path, {})
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"), [("not toml", "not a config"), ("seed = 1", "`benchmark`")]
)
def test_what_is_no_config_at_all_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        load_config(path, {})
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"seed = " + b"[" * 500, "nested too deeply"),
        (b"a." * 20_000 + b"a = 1", "a line with more than 100 dots"),
        (b"\n" * 1_000_001, "longer than 1,000,000 characters"),
        (b"seed = " + b"1" * 900, "Expected `int` <= 4294967295"),
        (b"x = " + b"a." * 90 + b"a", "not a config"),
        (b"seed = 1\nseed = 2", "not a config"),
        (b"\xff", "not a config"),
        (b"\x00", "not a config"),
        (b"seed = -1", "Expected `int` >= 0"),
        (b"threads = 0", "Expected `int` >= 1"),
        (b"benchmark = 'toy'\ncurriculum = [{epochs = -1}]", "Expected `int` >= 1"),
        (b"benchmark = 'toy'\ncurriculum = []", "length >= 1"),
        (b"benchmark = 'toy'\n[optim]\nlearning_rate = nan", "Expected `float` >= 0"),
        (b"benchmark = 'toy'\n[optim]\nmax_problems = 10000000000", "Expected `int` <="),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_a_crafted_file_is_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "some.toml"
    path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        load_config(path, {})
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_of_another_system_is_read(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_bytes(b"\xef\xbb\xbfbenchmark = 'toy'\r\nseed = 5\r\n")
    assert load_config(path, {}).seed == 5


@pytest.mark.parametrize("value", ["[" * 500, "[" * 100_000, "1" * 5_000])
def test_a_crafted_flag_is_one_line(value: str) -> None:
    with pytest.raises(UsageError, match="Expected `int`"):
        load_config(None, {"benchmark": "toy", "seed": value})


def test_a_file_of_settings_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "some.toml"
    path.write_text('benchmark = "toy"\n[model]\nhidden = 8\n')
    read: list[Path] = []

    def once(file: Path, what: str) -> dict[str, object]:
        read.append(file)
        return read_toml(file, what)

    monkeypatch.setattr(run_config, "read_toml", once)
    assert load_config(path, {"model.hidden": "9"}).model.hidden == 9
    # A flag does not hide that the file itself is fine.
    with pytest.raises(UsageError, match="flags: "):
        load_config(path, {"model.hidden": "'many'"})
    assert read == [path, path]
