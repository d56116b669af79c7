"""Splits that nothing was tuned on: other rows, fewer rows, other languages of one kind.

Where the paper, its published code and ours differ: the recipe with one thing changed each.

The tables that need no training: statistics of the data, speed, what untrained policies find.

All tables that `lear reproduce` makes: what is quoted, what is run, and on how many seeds.

Every accuracy table has the other systems of the paper and the paper's own rows, quoted, and ours:
the paper's recipe, its five ablations, our best recipe, and two baselines.
"""

from collections.abc import Mapping

from lear.reproduce import quoted
from lear.reproduce.table import (
    ONE_LESSON,
    Baseline,
    Column,
    Measurement,
    Ours,
    Quoted,
    Table,
    Training,
    field,
    lenient,
    percent,
    published,
    share_of_faults,
    strict,
    training_minutes,
    wrong_answers,
)

CSL = "Qiu et al. 2022"


def _ours(
    name: str,
    benchmark: str,
    *,
    seeds: int = 3,
    minutes: float = 6,
    executes: bool = False,
    rows: int | None = None,
) -> Ours:
    """The recipe `best`, from all rows of a benchmark or from a sample of so many."""
    overrides = None if rows is None else {"train_rows": str(rows)}
    return Ours(
        name,
        (
            Training(
                benchmark,
                "best",
                (benchmark,),
                seeds=seeds,
                overrides=overrides,
                executes=executes,
                minutes=minutes,
            ),
        ),
    )


def _geo(name: str, benchmark: str) -> Ours:
    return _ours(name, benchmark, seeds=5, minutes=1.5, executes=True)


SPLITS = Table(
    name="splits",
    title="Other splits",
    caption="Splits that the design was not made for, and training from fewer rows; one recipe, "
    "`best`, for each benchmark.",
    columns=(
        Column("strict", "strict", percent("exact_match")),
        Column("answers", "same answer", percent("denotation"), is_plotted=False),
        Column(
            "minutes",
            "training, min",
            field("training_seconds", scale=1 / 60),
            format=".1f",
            is_plotted=False,
            has_interval=False,
        ),
    ),
    rows=(
        _ours("CFQ, MCD1 turned round", "cfq/mcd1_reversed"),
        _ours("CFQ, MCD1, 1,000 training rows", "cfq/mcd1", minutes=1, rows=1_000),
        _ours("CFQ, MCD1, 3,000 training rows", "cfq/mcd1", minutes=3, rows=3_000),
        _ours("CFQ, MCD1, 10,000 training rows", "cfq/mcd1", minutes=4, rows=10_000),
        Quoted("T5 + CSL: GEO, 600 / 280", CSL, {"strict": "93.3"}),
        _geo("GEO, 600 / 280", "geo/standard"),
        Quoted("T5 + CSL: GEO, three splits by template", CSL, {"strict": "89.3"}),
        _geo("GEO, split by template", "geo/template_2"),
        Quoted("T5 + CSL: GEO, three splits by compounds (TMCD)", CSL, {"strict": "74.9"}),
        _geo("GEO, split by compounds (TMCD)", "geo/tmcd_2"),
        _ours("SLOG, test", "slog/test", minutes=2),
    ),
    notes=(
        "*Turned round*: trained on the dev and test rows of MCD1, tested on rows of its train. "
        "Samples of training rows are drawn by the seed. The splits of GEO are one of each kind, "
        "with real names; those of T5 + CSL, which has a pretrained model behind it, are of the "
        "same kind. Strict, and on GEO also whether the program gives the right answer.",
    ),
)


STRICT_ALGEBRA = {
    "model.algebra": "strict",
    "model.merging": "limited",
    "model.units": "composed",
    "model.leaf_symbols": "free",
    "model.nothing": "composer",
    "model.legality": "attested",
}
"""The domain's own algebra, whose operations may refuse, with the settings that it needs."""
INDUCED = {"lexicon": "induced"}
"""Entries by hand are of the total algebra."""

FREE_LEAVES = {"model.leaf_symbols": "free"}
NORMALISED_ENTROPY = {"optim.entropy_of": "mean", "optim.entropy": "0.1"}
SUMMED_ENTROPY = {"optim.entropy_of": "sum", "optim.entropy": "0.02"}
ADADELTA = {"optim.optimizer": "adadelta", "optim.learning_rate": "1.0"}
LONGEST_RUN = {"optim.reward": '"longest run"'}


def _cogs(changed: Mapping[str, str] | None = None, minutes: float = 1) -> Training:
    """The paper's recipe on COGS with these settings changed."""
    evaluated_on = ("cogs/gen_original", "cogs/gen")
    return Training("cogs/gen", "paper", evaluated_on, 3, changed, minutes=minutes)


def _geo_difference(
    changed: Mapping[str, str] | None = None, minutes: float = 1.5, recipe: str = "paper"
) -> Training:
    """The paper's recipe on GEO with these settings changed."""
    return Training("geo/query", recipe, ("geo/query",), 3, changed, minutes=minutes)


def _cfq(changed: Mapping[str, str] | None = None) -> Training:
    """The paper's recipe on CFQ with these settings changed."""
    evaluated_on, is_recipe = ("cfq/mcd1",), changed is None
    return Training("cfq/mcd1", "paper", evaluated_on, 3, changed, blames=is_recipe, minutes=6)


def _changed(name: str, *experiments: Training) -> Ours:
    return Ours(name, experiments, "ablation")


def _both(name: str, changed: Mapping[str, str]) -> Ours:
    """The same change on both."""
    return _changed(name, _cogs(changed), _geo_difference(changed))


DIFFERENCES = Table(
    name="differences",
    title="Differences",
    caption="What each point is worth in which the paper, its published code and ours differ: the "
    "paper's recipe with that point changed and all else as it is.",
    columns=(
        lenient("gen_original", "COGS gen_original", "cogs/gen_original"),
        strict("gen", "COGS gen", "cogs/gen", is_plotted=False),
        lenient("query", "GEO query split", "geo/query"),
        strict("query", "GEO query split", "geo/query", is_plotted=False),
        lenient("mcd1", "CFQ MCD1", "cfq/mcd1"),
    ),
    rows=(
        Ours("paper's recipe", (_cogs(), _geo_difference(), _cfq())),
        _changed(
            "strict algebra: dead ends",
            _cogs(STRICT_ALGEBRA | {"curriculum": "[{epochs = 6}]"}, minutes=3),
            _geo_difference(STRICT_ALGEBRA | INDUCED),
        ),
        _changed(
            "chains attach to heads: one bracketing is right", _cogs({"model.algebra": "heads"})
        ),
        _both("symbols of leaves are free", FREE_LEAVES),
        _changed(
            "symbols of leaves show no word classes (CFQ)",
            _cfq({"model.algebra": "classless", "model.nonterminals": "3"}),
        ),
        _both("units are merged word by word", {"model.units": "composed"}),
        _changed(
            "the Composer decides what stands for nothing",
            _geo_difference(FREE_LEAVES | {"model.nothing": "composer"}),
        ),
        _changed("types of FunQL do not advise", _geo_difference({"model.legality": "any"})),
        _changed("induced lexicon", _geo_difference(recipe="paper-induced")),
        _changed(
            "entropy: mean of shares (COGS), sum (GEO)",
            _cogs(NORMALISED_ENTROPY),
            _geo_difference(SUMMED_ENTROPY),
        ),
        _changed(
            "initial weights: orthogonal (COGS), torch's (GEO)",
            _cogs({"model.initialisation": "orthogonal"}),
            _geo_difference({"model.initialisation": "torch"}),
        ),
        _both("optimiser: AdaDelta", ADADELTA),
        _both("reward by longest run", LONGEST_RUN),
        _changed(
            "batches: 16 (COGS), 4 (GEO)",
            _cogs({"optim.batch_size": "16"}, minutes=3),
            _geo_difference({"optim.batch_size": "4"}, minutes=3),
        ),
        _both("width 128", {"model.hidden": "128"}),
    ),
    notes=(
        "The paper's recipe here: 2 symbols, Adam 0.01, batches of 128, summed entropy 0.02, "
        "torch's initial weights on COGS; 3 symbols, Adam 0.005, batches of 16, normalised entropy "
        "0.1, orthogonal initial weights, a phrase table by hand on GEO; width 64.",
        "The strict algebra comes with what it needs: limited merging, units merged word by word, "
        "free symbols of leaves, the Composer deciding what stands for nothing, operations that "
        "training attests; on COGS six epochs in place of one, on GEO an induced lexicon.",
        "If the Composer decides what stands for nothing, symbols of leaves must be free: compare "
        "with that row. AdaDelta has a learning rate of 1.",
    ),
)


def _statistics(name: str, benchmark: str, minutes: float, like: str = "") -> Ours:
    module = "lear.reproduce.data_statistics"
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
    module = "lear.reproduce.exploration"
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


ABLATIONS: dict[str, dict[str, str]] = {
    "without abstraction": {"model.abstraction": "false"},
    "without semantic locality": {"model.encoder": "contextual"},
    "without Tree-LSTM": {"model.encoder": "span"},
    "without primitive-based reward": {"optim.alpha": "1"},
    "without curriculum": {"curriculum": ONE_LESSON},
}
"""Ablation -> what it changes in the paper's recipe."""
BASELINES = {"LSTM, trained here": "lstm", "Transformer, trained here": "transformer"}
CFQ_BASELINE_SECONDS = 900
"""What a baseline on CFQ is given; on COGS and GEO its own recipe says when to stop."""

COGS_SETS = ("cogs/gen_original", "cogs/gen")
MCD1 = ("cfq/mcd1",)
MCD2 = ("cfq/mcd2_partial",)
QUERY = ("geo/query",)
STANDARD = ("geo/standard",)

CFQ_PAPER = Training("cfq/mcd1", "paper", MCD1, seeds=3, blames=True, minutes=6)
CFQ_PAPER_2 = Training("cfq/mcd2_partial", "paper", MCD2, seeds=3, blames=True, minutes=6)
CFQ_BEST = Training("cfq/mcd1", "best", MCD1, seeds=3, blames=True, minutes=6)
CFQ_BEST_2 = Training("cfq/mcd2_partial", "best", MCD2, seeds=3, blames=True, minutes=6)


def _ablations(recipe: Training) -> tuple[Ours, ...]:
    """The paper's five ablations of a recipe, three seeds each."""
    return tuple(
        Ours(f"paper's recipe {name}", (_changed_setting(recipe, overrides),), "ablation")
        for name, overrides in ABLATIONS.items()
    )


def _changed_setting(recipe: Training, overrides: Mapping[str, str]) -> Training:
    return Training(
        recipe.benchmark,
        recipe.recipe,
        recipe.evaluated_on,
        seeds=3,
        overrides=overrides,
        minutes=recipe.minutes,
    )


def _baselines(benchmark: str, evaluated_on: tuple[str, ...], minutes: float) -> tuple[Ours, ...]:
    return tuple(
        Ours(name, (Baseline(benchmark, kind, evaluated_on, 3, minutes=minutes),), "baseline")
        for name, kind in BASELINES.items()
    )


def _limited_baselines(
    benchmark: str, evaluated_on: tuple[str, ...], seconds: int
) -> tuple[Ours, ...]:
    """One seed each, stopped after this time."""
    overrides, minutes = {"seconds": str(seconds)}, seconds / 60 + 3
    return tuple(
        Ours(
            f"{name} for {seconds // 60} min",
            (Baseline(benchmark, kind, evaluated_on, 1, overrides, minutes),),
            "baseline",
        )
        for name, kind in BASELINES.items()
    )


COGS_PAPER = Training("cogs/gen", "paper", COGS_SETS, seeds=5, minutes=1)
COGS = Table(
    name="cogs",
    title="COGS",
    caption="The paper's table of accuracy on COGS, on its generalisation set, with ablations.",
    columns=(
        lenient("gen_original", "gen_original", "cogs/gen_original"),
        strict("gen", "gen", "cogs/gen"),
        training_minutes("cogs/gen"),
    ),
    rows=(
        *quoted.COGS,
        Ours("paper's recipe", (COGS_PAPER,)),
        *_ablations(COGS_PAPER),
        Ours("recipe best", (Training("cogs/gen", "best", COGS_SETS, minutes=1),)),
        *_baselines("cogs/gen", COGS_SETS, minutes=60),
    ),
    notes=(
        "gen_original is the set that the papers of 2021 used, gen the set as corrected on "
        "2022-09-13. LeAR's metric is the lenient one; the figures of others are exact match.",
    ),
)

CFQ = Table(
    name="cfq",
    title="CFQ",
    caption="The paper's table of accuracy on CFQ, on splits of maximum compound divergence, with "
    "ablations.",
    columns=(
        lenient("mcd1", "MCD1", "cfq/mcd1"),
        strict("mcd1", "MCD1", "cfq/mcd1"),
        lenient("mcd2", "MCD2 (ours: partial)", "cfq/mcd2_partial"),
        strict("mcd2", "MCD2 (ours: partial)", "cfq/mcd2_partial", is_plotted=False),
        published("mcd3", "MCD3"),
        published("mean", "mean of three"),
        training_minutes("cfq/mcd1"),
    ),
    rows=(
        *quoted.CFQ,
        Ours("paper's recipe", (CFQ_PAPER, CFQ_PAPER_2)),
        *_ablations(CFQ_PAPER),
        Ours("recipe best", (CFQ_BEST, CFQ_BEST_2)),
        *_limited_baselines("cfq/mcd1", MCD1, CFQ_BASELINE_SECONDS),
    ),
    notes=(
        "mcd2-partial is an incomplete copy of MCD2, with 84.5 % of its train rows and 81.4 % of "
        "its test rows; MCD3 was not available to us. LeAR's metric is the lenient one; the "
        "figures of others are exact match.",
    ),
)

GEO_PAPER = Training("geo/query", "paper", QUERY, seeds=5, minutes=2)
GEO = Table(
    name="geo",
    title="GEO",
    caption="The paper's table of accuracy on GEO, on its query split; the ablations are ours.",
    columns=(
        lenient("query", "query split", "geo/query"),
        strict("query", "query split", "geo/query"),
        strict("standard", "600 / 280", "geo/standard", is_plotted=False),
        Column(
            "standard_answers",
            "600 / 280, same answer",
            percent("denotation"),
            "geo/standard",
            is_plotted=False,
        ),
        training_minutes("geo/query"),
    ),
    rows=(
        *quoted.GEO,
        Ours("paper's recipe, table by hand", (GEO_PAPER,)),
        Ours(
            "paper's recipe, induced lexicon",
            (Training("geo/query", "paper-induced", QUERY, seeds=5, minutes=2),),
        ),
        *_ablations(GEO_PAPER),
        Ours(
            "recipe best",
            (
                Training("geo/query", "best", QUERY, seeds=5, minutes=1.5),
                Training("geo/standard", "best", STANDARD, seeds=5, executes=True, minutes=1.5),
            ),
        ),
        *_baselines("geo/query", QUERY, minutes=15),
    ),
    notes=(
        "LeAR has names anonymised and a phrase table by hand, and does not check brackets. Our "
        "table by hand was written from training rows alone; the ablations are of that recipe.",
    ),
)


def _ratio(composer: str, algebraic: str) -> Ours:
    """The paper's recipe on CFQ with these learning rates, beside 1 for the lexical Interpreter."""
    overrides = {"optim.composer_ratio": composer, "optim.algebraic_ratio": algebraic}
    return Ours(
        f"paper's recipe, 1 : {composer} : {algebraic}", (_changed_setting(CFQ_PAPER, overrides),)
    )


RATIOS = Table(
    name="ratios",
    title="Learning-rate ratios",
    caption="The paper's table of learning rates, of lexical Interpreter, Composer and algebraic "
    "Interpreter, on CFQ.",
    columns=(
        lenient("mcd1", "MCD1", "cfq/mcd1"),
        strict("mcd1", "MCD1", "cfq/mcd1", is_plotted=False),
        published("mcd2_lenient", "MCD2"),
        published("mcd3", "MCD3"),
        published("mean", "mean of three"),
    ),
    rows=(*quoted.RATIOS, _ratio("1", "1"), _ratio("0.5", "0.1"), _ratio("0.1", "0.1")),
    plot="groups",
)

LENGTHS = tuple(f"{last - 4}-{last}" for last in range(5, 31, 5))
LENGTH = Table(
    name="length",
    title="Accuracy by input length",
    caption="The paper's figure of accuracy on CFQ by number of words, lenient.",
    columns=tuple(
        Column(group, f"{group} words", percent("lengths", group, "lenient")) for group in LENGTHS
    ),
    rows=(
        *quoted.LENGTH,
        Ours("paper's recipe, MCD1", (CFQ_PAPER,)),
        Ours("paper's recipe, mcd2-partial", (CFQ_PAPER_2,)),
        Ours("recipe best, MCD1", (CFQ_BEST,)),
    ),
    notes=("The paper draws its figure without numbers; its text names the last group only.",),
    plot="lines",
)


ERRORS = Table(
    name="errors",
    title="Errors of Composer and Interpreter",
    caption="The paper's table of errors on CFQ: whose fault wrong answers are, in percent.",
    columns=(
        Column("composer", "Composer", share_of_faults("Composer")),
        Column("interpreter", "Interpreter", share_of_faults("Interpreter")),
        Column("no_answer", "no answer", share_of_faults("no answer")),
        Column("limit", "beyond the search limit", share_of_faults("beyond the search limit")),
        Column("wrong", "wrong rows", wrong_answers, format=",.1f", is_plotted=False),
    ),
    rows=(
        *quoted.ERRORS,
        Ours("paper's recipe, MCD1", (CFQ_PAPER,)),
        Ours("paper's recipe, mcd2-partial", (CFQ_PAPER_2,)),
        Ours("recipe best, MCD1", (CFQ_BEST,)),
    ),
    notes=(
        "The paper tells Composer from Interpreter by templates written by hand. Here an error is "
        "the Interpreter's if the tree of the answer has other primitives or operations that give "
        "the right meaning, else the Composer's. Wrong rows are those that are wrong strictly.",
    ),
    plot="stack",
    plot_unit="% of wrong answers",
)


TABLES = {
    table.name: table
    for table in (
        COGS, CFQ, GEO, SPLITS, RATIOS, LENGTH, ERRORS, DIFFERENCES, EXPLORATION, STATS, SPEED,
    )
}  # fmt: skip
