"""A job on a local Dask cluster whose workers are killed meanwhile: is every row answered once?"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import distributed

from lear.bulk.jobs import JOB


@contextmanager
def local_cluster(workers: int = 2) -> Iterator[distributed.LocalCluster]:
    """Workers of one thread each on this machine; those that die are started anew."""
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        yield cluster


def kill_worker(address: str) -> None:
    """Kill a worker, without a word."""
    with distributed.Client(address, set_as_default=False) as client:
        # One that was killed before may still be counted among them, and does not answer.
        for process in list(client.run(os.getpid, on_error="ignore").values())[:1]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def predict_with_kills(
    address: str,
    sentences: Path,
    folder: Path,
    kills: int,
    partition_rows: int,
    more: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """`lear predict --dask`; each kill comes when some more partitions are there."""
    command = [
        *(sys.executable, "-m", "lear", "predict", "cogs", "--no-probability", "--dask", address),
        *("--input", str(sentences), "--output-folder", str(folder)),
        *("--partition-rows", str(partition_rows), *more),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        for number in range(1, kills + 1):
            while process.poll() is None and num_whole(folder) < number:
                time.sleep(0.05)
            if process.poll() is None:
                kill_worker(address)
        _, err = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, "", err)


def num_whole(folder: Path) -> int:
    """How many partitions are whole."""
    return len(list((folder / JOB).glob("part-*.json")))


def differences(sentences: Path, folder: Path) -> dict[str, int]:
    """How many rows there are, and how many of the answers are to another sentence, or missing."""
    files = sorted(folder.glob("part-*.jsonl"))
    answers = (json.loads(line)["text"] for file in files for line in file.open("rb"))
    counts = {"rows": 0, "lost or moved": 0, "too many": 0}
    for line in sentences.open():
        counts["rows"] += 1
        counts["lost or moved"] += next(answers, None) != line.removesuffix("\n")
    counts["too many"] = sum(1 for _ in answers)
    return counts
