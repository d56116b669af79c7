"""How `lear predict` scales: one process, two, and a cluster whose workers are killed meanwhile.

`python -m tests.support.bulk_figures ROWS FOLDER [--probability]` makes so many sentences of COGS
in a folder, answers them in each way, and prints a JSON object for each; without probabilities
unless they are asked for. CPU time is that of all processes: on a machine with other work, wall
time says little, and twice the CPU time of one process over that of two is the most to hope for.
"""

import json
import os
import sys
import time
from pathlib import Path

from lear.storage.datasets import DataFolder
from tests.support.killed_workers import differences, local_cluster, predict_with_kills
from tests.support.varied_cogs import varied

KILLS = 3


def timed(*arguments: str) -> dict[str, object]:
    """What a command takes, its processes included."""
    began = time.monotonic()
    process = os.posix_spawn(
        sys.executable, [sys.executable, "-m", "lear", *arguments], dict(os.environ)
    )
    _, status, used = os.wait4(process, 0)
    assert status == 0, arguments
    return {
        "wall_seconds": round(time.monotonic() - began, 1),
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
        "peak_mb_of_a_process": round(used.ru_maxrss / 1e3, 1),
    }


def killed(sentences: Path, folder: Path) -> dict[str, object]:
    """A job on two workers, one of which is killed now and then."""
    began = time.monotonic()
    with local_cluster() as cluster:
        done = predict_with_kills(cluster.scheduler_address, sentences, folder, KILLS, 10_000)
    seconds = round(time.monotonic() - began, 1)
    return {
        "kills": KILLS,
        "exit_code": done.returncode,
        "wall_seconds": seconds,
        **differences(sentences, folder),
    }


def main(arguments: list[str]) -> None:
    """Measure all of it, and print it line by line."""
    rows, folder = int(arguments[0]), Path(arguments[1])
    folder.mkdir(parents=True)
    sentences = folder / "sentences.txt"
    with sentences.open("w") as stream:
        gen = DataFolder.choose(None).root / "cogs/gen.tsv"
        stream.writelines(f"{sentence}\n" for sentence in varied(gen, rows))
    flags = [] if "--probability" in arguments else ["--no-probability"]
    for jobs in ("1", "2"):
        output = str(folder / f"answers-{jobs}.jsonl")
        command = ("predict", "cogs", "--input", str(sentences), "--jobs", jobs, "--output", output)
        _tell({"rows": rows, "jobs": jobs, **timed(*command, *flags)})
    _tell(killed(sentences, folder / "partitions"))


def _tell(figures: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
