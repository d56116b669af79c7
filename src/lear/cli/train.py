"""`lear train`: from a benchmark to a model in a run's folder."""

from argparse import Namespace
from pathlib import Path

from lear.cli.arguments import CommandParser
from lear.cli.output import peak_rss_mb, write_json
from lear.cli.rows import are_published, digest_of, load_names, load_rows
from lear.domains.registry import find_benchmark
from lear.errors import UsageError
from lear.messages import note

EXAMPLES = """  lear train toy --output runs/toy
  lear train cogs/gen --seed 1 --output runs/cogs-1
  lear train --config configs/cogs-reinforce.toml --model.encoder span --output runs/span
  lear train --resume --output runs/cogs-1"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "benchmark", nargs="?", metavar="DOMAIN[/SPLIT]", help="what to train on: toy, cogs/gen ..."
    )
    parser.add_argument("--output", required=True, metavar="FOLDER", help="a new folder of the run")
    parser.add_argument("--seed", help="of everything random (default: 1)")
    parser.add_argument("--config", metavar="FILE", help="settings as TOML; see docs/reference.md")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --output")
    parser.add_settings(
        "any setting of the config, such as --model.hidden 64, --optim.batch_size 128 or "
        "--curriculum '[{max_tokens = 10, epochs = 2}, {epochs = 20}]'"
    )
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Train, and print the folder and the peak of memory as one JSON object."""
    # Torch takes a second to load: only commands that need it do so.
    from lear.training.config import RunConfig, load_config
    from lear.training.run import RunFolder, train

    folder = RunFolder(Path(options.output))
    if options.resume:
        if options.config or options.overrides or options.seed or options.benchmark:
            raise UsageError("--resume takes its settings from the run; give --output only")
        config: RunConfig = load_config(folder.config, {})
    else:
        overrides = dict(options.overrides)
        if options.config is None and options.benchmark is not None:
            overrides = {**find_benchmark(options.benchmark)[0].settings, **overrides}
        if options.benchmark is not None:
            overrides["benchmark"] = f'"{options.benchmark}"'
        if options.seed is not None:
            overrides["seed"] = options.seed
        config = load_config(Path(options.config) if options.config else None, overrides)
    domain, benchmark = find_benchmark(config.benchmark)
    note(f"{benchmark.name}: {config.optim.objective}, seed {config.seed}")
    parts = ("train", "dev")
    rows = {part: load_rows(domain, benchmark, part, options.data) for part in parts}
    if names := load_names(domain, benchmark, options.data):
        rows["names"] = names
    files = dict.fromkeys(file for part in parts for file in benchmark.files.get(part, ()))
    environment = {
        "benchmark": benchmark.name,
        "data": {file.path: file.sha256 for file in files if file.sha256},
        "rows": {part: digest_of(rows[part]) for part in rows},
        "data_as_published": are_published(benchmark, parts, options.data),
    }
    train(config, domain, rows, folder, resume=options.resume, environment=environment)
    note(f"{folder.root}: model-best is the best by dev; evaluate it with `lear evaluate`")
    write_json({"folder": str(folder.root), "peak_rss_mb": round(peak_rss_mb(), 1)})
