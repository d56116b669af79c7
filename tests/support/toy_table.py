"""A table of the toy language, small enough to be really run."""

from lear.reproduce.experiments import (
    Column,
    Measurement,
    Ours,
    Quoted,
    Table,
    Training,
    figure,
    percent,
)

EPOCHS = 30
SMALL = {"model.hidden": "8", "curriculum": f"[{{epochs = {EPOCHS}}}]"}


def toy(**overrides: str) -> Training:
    """A training on the toy language with these settings changed."""
    settings = {key.replace("__", "."): value for key, value in overrides.items()}
    return Training("toy/deep", "best", ("toy/deep",), seeds=2, overrides=settings or None)


SMALL_RUN = Training("toy/deep", "best", ("toy/deep",), seeds=1, overrides=SMALL)
TABLE = Table(
    name="toy",
    title="Toy",
    caption="A table of the toy language.",
    columns=(
        Column("strict", "test, strict", percent("exact_match"), "toy/deep"),
        Column("short", "5 words at most", percent("lengths", "1-5", "exact_match")),
        Column(
            "seconds", "training, s", figure("training_seconds"), format=".1f", has_interval=False
        ),
    ),
    rows=(
        Quoted("another system", "somebody", {"strict": "50.0 ± 1.5"}),
        Ours("small", (SMALL_RUN,)),
        Ours("changes nothing", (toy(model__hidden="64"),), "ablation"),
        Ours("hopeless", (Measurement("hopeless", "toy/deep", "lear", ("lexicon", "nowhere")),)),
        Ours("unknown", (Training("toy/deep", "bset", ("toy/deep",), seeds=1),)),
    ),
)
