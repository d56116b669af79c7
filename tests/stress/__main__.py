"""`make stress`: all stages, one after the other; a table at the end, and a file of results.

The exit code is 1 if a promise was broken. `python -m tests.stress --help` has the sizes.
"""

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from lear.reproduce.machine import Provenance, here_and_now
from lear.storage.files import write_whole
from tests.stress.forks import in_child
from tests.stress.results import Sizes, StageResult

MODELS = ("cogs", "cfq", "geo", "geo-query", "slog", "toy", "pairs")
STAGES: dict[str, tuple[str, ...]] = {
    "kills": ("killed_runs",),
    "kills/commands": ("killed_commands",),
    "disks": ("full_disk",),
    **{f"sentences/{model}": ("long_lives", model) for model in MODELS},
    "inputs": ("worst_inputs",),
    "files": ("damaged_files",),
    "queries": ("hostile_queries",),
    "rows": ("mutated_rows",),
}
"""Stage -> its module, and what this is told beside sizes. `sentences` means all of its stages."""
TIME_LIMIT = 12 * 3600.0


class Results(msgspec.Struct):
    """The file of results."""

    machine: Provenance
    sizes: Sizes
    stages: list[StageResult]


def run_stage(stage: str, sizes: Sizes) -> StageResult:
    """Do one stage in a process of its own, so that it begins with a small memory."""
    began = time.monotonic()

    def work() -> dict[str, object]:
        # Its modules are loaded there, and not in this process.
        name, *arguments = STAGES[stage]
        module = importlib.import_module(f"tests.stress.{name}")
        stress: Callable[..., StageResult] = module.stress
        built: dict[str, object] = msgspec.to_builtins(stress(sizes, *arguments))
        return built

    ended = in_child(work, TIME_LIMIT)
    if ended.value is None:
        result = StageResult(stage)
        result.breach(f"the stage itself failed: {ended.error or ended}")
    else:
        result = msgspec.convert(ended.value, StageResult)
        result.stage = stage
    result.seconds = round(time.monotonic() - began, 1)
    return result


def table(results: Sequence[StageResult]) -> str:
    """What was counted, and which promises were broken."""
    lines = ["", "| stage | figure | value |", "| --- | --- | ---: |"]
    for result in results:
        figures = result.figures if not result.skipped else {f"skipped: {result.skipped}": 0}
        lines += [f"| {result.stage} | {name} | {value:,.10g} |" for name, value in figures.items()]
        lines.append(f"| {result.stage} | seconds | {result.seconds:,.0f} |")
    for result in results:
        lines += [f"BROKEN, {result.stage}: {line}" for line in result.broken]
        if result.num_broken > len(result.broken):
            lines.append(f"... {result.num_broken - len(result.broken)} more of {result.stage}")
    return "\n".join(lines)


def chosen_stages(names: Sequence[str]) -> list[str]:
    """The stages that are named, or all; raises `LookupError` for a name that means none."""
    stages = []
    for name in names or STAGES:
        meant = [stage for stage in STAGES if stage == name or stage.startswith(f"{name}/")]
        if not meant:
            raise LookupError(name)
        stages += meant
    return stages


def kept_results(path: Path, machine: Provenance, sizes: Sizes) -> dict[str, StageResult]:
    """The results of stages that were done before, with the same sizes and code."""
    if not path.is_file():
        return {}
    kept = msgspec.json.decode(path.read_bytes(), type=Results)
    if (kept.sizes, kept.machine.code) != (sizes, machine.code):
        return {}
    return {result.stage: result for result in kept.stages}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the stages that are named, or all."""
    parser = argparse.ArgumentParser("python -m tests.stress", description=__doc__)
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=f"of {', '.join(STAGES)}; all")
    parser.add_argument(
        "--output",
        type=Path,
        help="a file for the results, as JSON; stages that it has already, of the same code and "
        "sizes, are not done again",
    )
    for field in msgspec.structs.fields(Sizes):
        name = f"--{field.encode_name.replace('_', '-')}"
        parser.add_argument(name, type=int, default=field.default, help=f"{field.default:,}")
    options = vars(parser.parse_args(arguments))
    names, output = options.pop("stages"), options.pop("output")
    try:
        stages = chosen_stages(names)
    except LookupError as error:
        parser.error(f"no such stage: {error.args[0]}")
    sizes = Sizes(**options)
    machine = here_and_now()
    results = {} if output is None else kept_results(output, machine, sizes)
    for stage in stages:
        if stage in results:
            continue
        sys.stderr.write(f"stress: {stage} ...\n")
        results[stage] = run_stage(stage, sizes)
        if output is not None:  # what is done is kept, whatever comes
            content = Results(machine, sizes, list(results.values()))
            write_whole(output, msgspec.json.format(msgspec.json.encode(content)) + b"\n")
    done = [results[stage] for stage in stages]
    sys.stdout.write(table(done) + "\n")
    return int(any(result.num_broken for result in done))


if __name__ == "__main__":
    sys.exit(main())
