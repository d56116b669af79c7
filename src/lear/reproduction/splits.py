"""Splits that nothing was tuned on: other rows, fewer rows, other languages of one kind."""

from lear.reproduction.columns import field, percent
from lear.reproduction.table import Column, Ours, Quoted, Table, Training

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
