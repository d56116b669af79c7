"""`lear train`: train a model on a benchmark."""

import shlex
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import tomli_w

from lear.benchmark import Benchmark, Example, Gazetteer
from lear.cli.arguments import CommandParser, benchmark_help, file_of, find_benchmark
from lear.cli.loading import are_published, digest_of, load_gazetteer, load_rows
from lear.cli.output import peak_rss_mb, stderr_tracker, write_json
from lear.domain import Domain
from lear.errors import UsageError
from lear.learning.config import DEFAULT, RunConfig, find_recipe, load_config
from lear.messages import interrupting_signals, note

if TYPE_CHECKING:
    from lear.learning.run_folder import RunFolder
    from lear.parser import Parser

EXAMPLES = """  lear train toy --output runs/toy
  lear train pairs.csv --output runs/home
  lear train cogs/gen --seed 1 --output runs/cogs-1
  lear train cogs/gen --recipe paper --model.encoder span --output runs/span
  lear train my_domain.py --output runs/mine
  lear train --config my.toml --output runs/mine
  lear train --resume --output runs/cogs-1"""

PARTS_USED = ("train", "dev")
MAX_EXAMPLE_TOKENS = 20
"""The length of sentences that a model keeps to be tried with."""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "benchmark", nargs="?", metavar="DOMAIN[/SPLIT]", help=benchmark_help("the benchmark")
    )
    parser.add_argument("--output", required=True, metavar="FOLDER", help="a new folder of the run")
    parser.add_argument("--seed", help="random seed (default: 1)")
    parser.add_argument(
        "--recipe",
        metavar="RECIPE",
        help="the domain's settings to start from: best (default), paper or reinforce",
    )
    parser.add_argument("--config", metavar="FILE", help="settings as TOML, instead of a recipe")
    parser.add_argument(
        "--types",
        metavar="FILE",
        help="for a file of pairs: types in place of those worked out (see `lear types`)",
    )
    parser.add_argument("--resume", action="store_true", help="continue the run in --output")
    parser.add_argument(
        "--allow-changes",
        action="store_true",
        help="with --resume: go on though the settings in the run's folder were changed",
    )
    parser.add_argument(
        "--json", action="store_true", help="one JSON object at the end, which is the default"
    )
    parser.add_settings(
        RunConfig,
        "any setting (docs/reference.md), such as --model.hidden 64, --optim.batch_size 128 or "
        "--curriculum '[{max_tokens = 10, epochs = 2}, {epochs = 20}]'",
    )
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Train, and print the folder and the peak memory as one JSON object."""
    from lear.learning.run_folder import RunFolder  # it brings torch, which takes seconds

    folder = RunFolder(Path(options.output))
    config = _config(options, folder)
    domain, benchmark = find_benchmark(config.benchmark)
    folder.check(resume=options.resume)
    note(f"{benchmark.name}: {config.optim.objective}, seed {config.seed}")
    was_there = None if options.resume else _identity(folder.config)
    try:
        # Whatever ends the command, what it has made for a while goes again.
        with interrupting_signals():
            parser = _train(options, config, domain, benchmark, folder)
    except KeyboardInterrupt:
        if folder.can_go_on() and _identity(folder.config) != was_there:
            named = f"{shlex.quote(config.benchmark)} " if file_of(config.benchmark) else ""
            command = f"lear train {named}--resume --output {shlex.quote(options.output)}"
            note(f"`{command}` goes on with this run")
        else:
            note("nothing is kept of this run: it had not begun to learn")
        raise
    note(f"{folder.root}: model-best is the best by dev; evaluate it with `lear evaluate`")
    if not parser.model.header.about["metrics"]["dev_exact_match"]:
        named = shlex.quote(config.benchmark)
        note(
            f"no dev row is answered right: this model is of no use; `lear check {named}` says why"
        )
    write_json({"folder": str(folder.root), "peak_rss_mb": peak_rss_mb()})


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from one that was written in its place; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _train(
    options: Namespace, config: RunConfig, domain: Domain, benchmark: Benchmark, folder: "RunFolder"
) -> "Parser":
    """Read the rows, and train on them."""
    tracker = stderr_tracker()
    with tracker.phase("reading the rows", is_long=False):
        # Torch takes seconds to import: only commands that need it do so, and only when they run.
        from lear.learning.cross_fitting import choose_language, require_readable
        from lear.learning.run import train

        rows = {part: load_rows(domain, benchmark, part, options.data) for part in PARTS_USED}
        require_readable(domain, [row for part in PARTS_USED for row in rows[part]])
        gazetteer = load_gazetteer(domain, benchmark, options.data)
        environment = _environment(benchmark, rows, gazetteer, options.data)
        if (file := file_of(config.benchmark)) is not None:
            environment["domain_file"] = file
    return train(
        config,
        domain,
        rows,
        folder,
        resume=options.resume,
        gazetteer=gazetteer,
        environment=environment,
        tracker=tracker,
        allow_changes=options.allow_changes,
        choose=lambda config, drawn: choose_language(config, domain, drawn, tracker),
    )


def _environment(
    benchmark: Benchmark, rows: dict[str, list[Example]], gazetteer: Gazetteer, data: str | None
) -> dict[str, object]:
    """Return where the rows come from, and what they are."""
    digests = {part: digest_of(rows[part]) for part in rows}
    if gazetteer:
        digests["names"] = digest_of(gazetteer)
    files = dict.fromkeys(file for part in rows for file in benchmark.files.get(part, ()))
    # Rows of benchmarks are not ours to pass on in models.
    own = {} if files else {"examples": _examples(rows["train"])}
    return own | {
        "benchmark": benchmark.name,
        "data": {file.path: file.sha256 for file in files if file.sha256},
        "rows": digests,
        "data_as_published": are_published(benchmark, rows, data),
    }


def _examples(rows: Sequence[Example]) -> list[str]:
    """Choose sentences to try the model with: a short one, a usual one and a long one."""
    sentences = {row.sentence for row in rows if len(row.tokens) <= MAX_EXAMPLE_TOKENS}
    by_length = sorted(sentences, key=lambda sentence: (sentence.count(" "), sentence))
    places = sorted({len(by_length) * part // 6 for part in (1, 3, 5)})
    return [by_length[place] for place in places if place < len(by_length)]


def _config(options: Namespace, folder: "RunFolder") -> RunConfig:
    """Read the settings of a run: from the run to resume, from a file, or from a recipe."""
    given = (options.config, options.recipe, options.overrides, options.seed, options.types)
    if options.resume:
        is_file = options.benchmark is not None and file_of(options.benchmark) is not None
        if any(given) or (options.benchmark is not None and not is_file):
            raise UsageError("--resume takes its settings from the run; give --output only")
        folder.check(resume=True)
        return _with_named_file(load_config(folder.config, {}), options)
    if options.allow_changes:
        raise UsageError("--allow-changes is for --resume")
    if options.config and options.recipe:
        raise UsageError("give --recipe or --config, not both")
    overrides = dict(options.overrides)
    benchmark = options.benchmark or overrides.get("benchmark", "").strip('"')
    if options.benchmark is not None:
        overrides["benchmark"] = f'"{options.benchmark}"'
    if options.seed is not None:
        overrides["seed"] = options.seed
    if options.types is not None:
        overrides["types"] = tomli_w.dumps({"types": options.types}).partition("=")[2]
    if options.config:
        return _with_named_file(load_config(Path(options.config), overrides), options)
    if not benchmark:
        raise UsageError("name a benchmark to train on, such as cogs/gen (see `lear train --help`)")
    domain, _ = find_benchmark(benchmark)
    recipe = find_recipe(domain.name, options.recipe or DEFAULT, domain.recipes)
    return load_config(recipe, overrides)


def _with_named_file(config: RunConfig, options: Namespace) -> RunConfig:
    """Return the settings, if they name no file to run that the user has not named."""
    if file_of(config.benchmark) is not None and options.benchmark != config.benchmark:
        file = shlex.quote(config.benchmark)
        raise UsageError(
            f"these settings are for the domain file {file}, which is code and is not run unasked: "
            f"name it, `lear train {file} ...`"
        )
    return config
