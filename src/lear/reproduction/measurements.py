"""The tables that need no training: statistics of the data, speed, what untrained policies find."""

from collections.abc import Mapping

from lear.reproduction import quoted
from lear.reproduction.columns import field, percent
from lear.reproduction.differences import INDUCED, STRICT_ALGEBRA
from lear.reproduction.table import Column, Measurement, Ours, Table


def _statistics(name: str, benchmark: str, minutes: float, like: str = "") -> Ours:
    module = "lear.reproduction.data_statistics"
    experiment = Measurement("statistics", benchmark, module, (benchmark,), minutes=minutes)
    return Ours(name, (experiment,), compared_with=like)


def _statistic(key: str, title: str, number_format: str) -> Column:
    is_plotted = key.endswith("coverage")
    return Column(key, title, field(key), format=number_format, is_plotted=is_plotted)


STATS = Table(
    name="stats",
    title="Data statistics",
    caption="The paper's table of data sets: sizes, vocabulary, mean lengths in words, and the "
    "share of test rows whose pattern occurs in training.",
    columns=(
        _statistic("train", "train", ",.0f"),
        _statistic("dev", "dev", ",.0f"),
        _statistic("test", "test", ",.0f"),
        _statistic("vocabulary", "vocabulary", ",.0f"),
        _statistic("input_train", "input, train", ".1f"),
        _statistic("input_test", "input, test", ".1f"),
        _statistic("output_train", "output, train", ".1f"),
        _statistic("output_test", "output, test", ".1f"),
        _statistic("input_coverage", "input patterns", ".3f"),
        _statistic("output_coverage", "output patterns", ".3f"),
    ),
    rows=(
        quoted.CFQ_STATISTICS,
        _statistics("CFQ, MCD1", "cfq/mcd1", 0.6, like="CFQ"),
        _statistics("CFQ, mcd2-partial", "cfq/mcd2_partial", 0.6),
        quoted.COGS_STATISTICS,
        _statistics("COGS, gen_original", "cogs/gen_original", 0.1, like="COGS"),
        _statistics("COGS, gen", "cogs/gen", 0.1),
    ),
    notes=(
        "A pattern is a sentence whose lexical units, or a form whose primitives (and positions), "
        "are all written alike.",
        "On COGS that gives the paper's coverage. On CFQ it does not, and the paper does not say "
        "how it anonymised. With names kept or not, distinct units told apart or not, and types "
        "shown or not, MCD1 gives 0.038 to 0.098 for inputs and 0.214 to 0.389 for outputs, "
        "mcd2-partial 0.009 to 0.024 and 0.070 to 0.162.",
        "740 words on COGS is what one gets without capitals and without the full stop.",
    ),
    plot="bars",
    plot_unit="share of test rows",
)


def _rate(key: str, title: str, name: str) -> Column:
    is_plotted = key in ("train", "parse")
    return Column(key, title, field(name), format=",.1f", is_plotted=is_plotted)


def _speed(name: str, benchmark: str, model: str) -> Ours:
    arguments = ("bench", benchmark, "--model", model, "--json")
    return Ours(
        name, (Measurement("speed", benchmark, "lear", arguments, is_of_speed=True, minutes=2),)
    )


SPEED = Table(
    name="speed",
    title="Speed",
    caption="Sentences a second on one core (`lear bench`): training with REINFORCE, ten samples "
    "a sentence, and parsing with the model that ships. The plain version does the same one "
    "sentence and one tree at a time.",
    columns=(
        _rate("train", "training", "train_examples_per_second"),
        _rate("train_plain", "training, plain", "train_examples_per_second_plain"),
        _rate("train_ratio", "times faster", "train_speedup_over_plain"),
        _rate("parse", "parsing", "parse_sentences_per_second"),
        _rate("parse_plain", "parsing, plain", "parse_sentences_per_second_plain"),
        _rate("parse_ratio", "times faster", "parse_speedup_over_plain"),
    ),
    rows=(
        quoted.COGS_SPEED,
        _speed("COGS", "cogs/gen", "cogs"),
        quoted.CFQ_SPEED,
        _speed("CFQ, MCD1", "cfq/mcd1", "cfq"),
        quoted.GEO_SPEED,
        _speed("GEO, query split", "geo/query", "geo-query"),
        _speed("GEO, 600 / 280", "geo/standard", "geo"),
    ),
    plot="bars",
    plot_unit="sentences a second",
)


def _exploration(
    name: str,
    benchmark: str,
    recipe: str = "paper",
    changed: Mapping[str, str] | None = None,
    minutes: float = 0.3,
) -> Ours:
    """What the untrained policy of a recipe finds, with these settings changed."""
    overrides = (f"{key}={value}" for key, value in (changed or {}).items())
    arguments = (benchmark, recipe, *overrides, "--rows", "500", "--samples", "10", "--seed", "1")
    run = f"exploration-{recipe}{'-changed' if changed else ''}"
    module = "lear.reproduction.exploration"
    experiment = Measurement(run, benchmark, module, arguments, recipe=recipe, minutes=minutes)
    return Ours(name, (experiment,))


EXPLORATION = Table(
    name="exploration",
    title="Exploration",
    caption="What an untrained policy finds: ten samples of each of 500 training rows, before the "
    "first step of training.",
    columns=(
        Column("dead_ends", "dead ends", percent("dead_ends")),
        Column("full_reward", "full reward", percent("full_reward")),
        Column("rows", "rows with a full reward", percent("rows_with_full_reward")),
        Column("mean_reward", "mean reward", field("mean_reward"), format=".3f", is_plotted=False),
    ),
    rows=(
        _exploration("COGS, paper's recipe", "cogs/gen"),
        _exploration("COGS, strict algebra", "cogs/gen", changed=STRICT_ALGEBRA),
        _exploration("GEO, paper's recipe, table by hand", "geo/query"),
        _exploration("GEO, paper's recipe, induced lexicon", "geo/query", "paper-induced"),
        _exploration("GEO, strict algebra", "geo/query", changed=STRICT_ALGEBRA | INDUCED),
        _exploration("CFQ MCD1, paper's recipe", "cfq/mcd1", minutes=1),
        _exploration("CFQ MCD1, strict algebra", "cfq/mcd1", changed=STRICT_ALGEBRA, minutes=1.5),
    ),
    notes=(
        "A dead end is a sample without an answer; its reward is 0. Shares of samples and of rows "
        "are in percent. The mean reward weighs logic-based and primitive-based rewards as the "
        "recipe does (`optim.alpha`).",
        "The strict algebra comes with what it needs: limited merging, units merged word by word, "
        "free symbols of leaves, operations that these rows attest; on GEO an induced lexicon.",
    ),
)
