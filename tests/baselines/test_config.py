"""Settings of baselines: every recipe is valid, flags win, and an end is needed."""

import pytest

from lear.baselines.networks import load_config
from lear.errors import UsageError

DOMAINS = ("toy", "cogs", "cfq", "geo", "a domain of one's own")


@pytest.mark.parametrize("architecture", ["transformer", "lstm"])
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_recipe_is_valid_and_ends(domain: str, architecture: str) -> None:
    config = load_config(domain, {"architecture": architecture})
    assert config.architecture == architecture
    assert config.steps > 0
    assert config.seconds == 0


def test_flags_win_and_seconds_given_alone_replace_the_steps() -> None:
    config = load_config("cogs", {"seed": "3", "seconds": "7.5", "bidirectional": "false"})
    assert (config.seed, config.seconds, config.steps) == (3, 7.5, 0)
    assert not config.bidirectional
    both = load_config("cogs", {"seconds": "7", "steps": "9"})
    assert (both.seconds, both.steps) == (7, 9)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("hiden", "64", "did you mean 'hidden'"),
        ("hidden", "65", "divisible by twice the number of heads"),
        ("architecture", "rnn", "architecture"),
        ("steps", "0", "training needs an end"),
        ("dropout", "1", "dropout"),
    ],
)
def test_wrong_settings_are_one_clear_line(key: str, value: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_config("cogs", {key: value})
