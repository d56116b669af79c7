"""All tables that `lear reproduce` makes: what is quoted, what is run, and on how many seeds.

Every accuracy table has the other systems of the paper and the paper's own rows, quoted, and ours:
the paper's recipe, its five ablations, our best recipe, and two baselines.
"""

from collections.abc import Mapping

from lear.reproduction import quoted
from lear.reproduction.columns import (
    lenient,
    percent,
    published,
    share_of_faults,
    strict,
    training_minutes,
    wrong_answers,
)
from lear.reproduction.differences import DIFFERENCES
from lear.reproduction.measurements import EXPLORATION, SPEED, STATS
from lear.reproduction.splits import SPLITS
from lear.reproduction.table import (
    ONE_LESSON,
    Baseline,
    Column,
    Ours,
    Table,
    Training,
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
        Ours(f"paper's recipe {name}", (_changed(recipe, overrides),), "ablation")
        for name, overrides in ABLATIONS.items()
    )


def _changed(recipe: Training, overrides: Mapping[str, str]) -> Training:
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
    return Ours(f"paper's recipe, 1 : {composer} : {algebraic}", (_changed(CFQ_PAPER, overrides),))


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
