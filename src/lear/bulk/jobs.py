"""Jobs: inputs cut into partitions of so many rows, which are answered one by one into a folder.

Partitions lie in the folder itself, so that it can be read as one table. What belongs to the job
lies in `_job`, which readers of such folders leave out: `job.json` says what is answered how, and
each partition that is whole has a record there, written after it. A worker that is killed leaves no
record, so its partition is done again, over whatever it has written.
"""

import hashlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from lear.answering.request import MAX_REMEMBERED
from lear.bulk.answering import Answerer, AnswerSettings
from lear.bulk.files import (
    Chunk,
    Tally,
    answer_chunk,
    answer_file,
    file_chunks,
    input_paths,
    open_input,
)
from lear.errors import DataError, UsageError
from lear.messages import Tracker, as_utf8, note
from lear.storage.datasets import find_model, sha256_of, shipped_models
from lear.storage.files import (
    encode_json,
    locked_folder,
    new_folders,
    partial_files,
    read_json,
    whole_file,
    write_whole,
)
from lear.version import __version__

BLOCK_BYTES = 1 << 20
NEWLINE = ord("\n")
JOB = "_job"


class InputFile(msgspec.Struct, frozen=True):
    """An input file as it was when its partitions were made."""

    path: str
    """From the root, so that every worker finds it."""
    input_format: str
    size: int
    changed: int
    """When it was last written, in nanoseconds."""
    sha256: str
    rows: int


class Partition(NamedTuple):
    """Some rows of a file; can be pickled."""

    number: int
    """From 0, over all files."""
    file: InputFile
    begin: int
    """The byte of a text file at which the first row begins; 0 for a table."""
    first: int
    """The number of the first row, from 1."""
    rows: int

    def chunks(self) -> Iterator[Chunk]:
        """Yield the rows; raise `DataError` if the file is not what it was."""
        path, source = Path(self.file.path), as_utf8(self.file.path)
        if (state := _state(path)) != (self.file.size, self.file.changed):
            cause = "is not there" if state is None else "has changed since the work was begun"
            raise DataError(f"{source}: {cause}, or is another one on the machine of a worker")
        yield from file_chunks(
            path, source, self.file.input_format, self.begin, self.first, self.rows
        )


def make_partitions(paths: list[Path], input_format: str, rows: int) -> list[Partition]:
    """Cut all rows of these files, in order, into partitions of at most so many."""
    partitions: list[Partition] = []
    for path in paths:
        scan = _scan_table if input_format == "parquet" else _scan_text
        sha256, num_rows, begins = scan(path.absolute(), rows)
        if (state := _state(path)) is None:
            raise DataError(f"{path}: went away while it was read")
        file = InputFile(str(path.absolute()), input_format, *state, sha256, num_rows)
        for index, begin in enumerate(begins):
            size = min(rows, num_rows - index * rows)
            partitions.append(Partition(len(partitions), file, begin, index * rows + 1, size))
    return partitions


def _scan_text(path: Path, rows: int) -> tuple[str, int, list[int]]:
    """Return digest and rows of a file, and the bytes at which its partitions begin."""
    begins, offset, num_lines, last = [0], 0, 0, b"\n"
    digest = hashlib.sha256()
    with open_input(path, str(path)) as stream:
        while block := stream.read(BLOCK_BYTES):
            digest.update(block)
            ends = np.flatnonzero(np.frombuffer(block, np.uint8) == NEWLINE)
            # The first line end of this block that ends a partition, and every so many after it.
            chosen = ends[rows - 1 - num_lines % rows :: rows]
            begins += (offset + 1 + chosen).tolist()
            num_lines += len(ends)
            offset += len(block)
            last = block[-1:]
    num_lines += last != b"\n"  # the last line may lack its end
    return digest.hexdigest(), num_lines, begins[: -(-num_lines // rows)]


def _scan_table(path: Path, rows: int) -> tuple[str, int, list[int]]:
    from lear.bulk.parquet import count_rows

    num_rows = count_rows(path, str(path))
    return sha256_of(path), num_rows, [0] * -(-num_rows // rows)


def _state(path: Path) -> tuple[int, int] | None:
    """Return size and time of a file; None if there is none."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """All that the answers in a folder depend on."""

    version: str
    """The version of lear."""
    model_sha256: str
    facts_sha256: str
    """The digest of the file of `--store`; empty without one."""
    settings: AnswerSettings
    output_format: str
    partition_rows: int
    inputs: tuple[InputFile, ...]
    num_partitions: int

    @property
    def _policy(self) -> AnswerSettings:
        """What answers depend on; without the names of files, whose contents are compared."""
        return replace(self.settings, model="", store=None, max_remembered=MAX_REMEMBERED)

    def difference(self, other: "Job") -> str:
        """Return what differs from another job, in words; empty if answers would be the same."""
        said = {
            "version": "another version of lear",
            "model_sha256": "another model",
            "facts_sha256": "other facts",
            "_policy": "other settings",
            "output_format": "another output format",
            "partition_rows": "another number of rows a partition",
        }
        for name, words in said.items():
            if getattr(self, name) != getattr(other, name):
                return words
        files, others = ([(f.sha256, f.input_format) for f in job.inputs] for job in (self, other))
        return "" if files == others else "another input"


_one_at_a_time = threading.Lock()
"""A parser answers one question after the other; a worker may have several threads."""


@dataclass(frozen=True)
class JobFolder:
    """Where the partitions of a job are written, by one process or several; can be pickled."""

    path: Path
    """From the root."""
    job: Job

    @property
    def records(self) -> Path:
        """The folder of the job's own files, which is locked while it is worked on."""
        return self.path / JOB

    def begin(self) -> None:
        """Begin the job, or go on with it; raise `UsageError` if the folder has another one."""
        file = self.records / "job.json"
        if file.is_file():
            earlier = read_json(file, Job, "what says which job this is")
            difference = earlier.difference(self.job)
            if difference and any(self.records.glob("part-*.json")):
                raise UsageError(
                    f"{self.path}: was begun with {difference}; give a new folder, or the same "
                    "again to go on"
                )
        elif others := {p.name for p in self.path.iterdir()} - {JOB}:
            raise UsageError(f"{self.path}: not empty ({min(others)}); give a new folder")
        self.clean()
        write_whole(file, msgspec.json.format(encode_json(self.job)) + b"\n")

    def clean(self) -> None:
        """Delete what killed workers left half-written."""
        for path in partial_files(self.path) | partial_files(self.records):
            path.unlink(missing_ok=True)

    def answers(self, number: int) -> Path:
        """Return the file of a partition's answers."""
        name = f"part-{number:05}-of-{self.job.num_partitions:05}.{self.job.output_format}"
        return self.path / name

    def record(self, number: int) -> Path:
        """Return the file that says that a partition is whole."""
        return self.records / f"part-{number:05}.json"

    def tally_of(self, partition: Partition) -> Tally | None:
        """Return the counts of a partition; None if it is to be done."""
        record = self.record(partition.number)
        if not record.is_file() or not self.answers(partition.number).is_file():
            return None
        tally = read_json(record, Tally, "the record of a partition")
        if tally.rows != partition.rows:
            raise DataError(f"{record}: tells of {tally.rows} rows, not of {partition.rows}")
        return tally

    def answer(self, partition: Partition) -> Tally:
        """Write the answers to a partition, then its record; each is whole or not there at all."""
        path, tally, job = self.answers(partition.number), Tally(), self.job
        with _one_at_a_time:
            answerer = _answerer(job.settings, job.model_sha256, job.version)
            try:
                with whole_file(path) as stream, answer_file(stream, job.output_format) as write:
                    for chunk in partition.chunks():
                        content, counts = answer_chunk(answerer, job.output_format, chunk)
                        write(content)
                        tally += counts
            except OSError as error:
                reason = error.strerror or str(error)
                raise DataError(f"{path}: cannot be written: {reason}") from None
            if tally.rows != partition.rows:
                path.unlink()
                raise DataError(f"{partition.file.path}: its rows changed while it was read")
            write_whole(self.record(partition.number), encode_json(tally))
            return tally


@lru_cache(maxsize=1)
def _answerer(settings: AnswerSettings, model_sha256: str, version: str) -> Answerer:
    """Return a parser for many partitions; raise `DataError` if it would answer as another one."""
    if version != __version__:
        raise DataError(f"a worker has lear {__version__}, and the command {version}")
    if sha256_of(find_model(settings.model)) != model_sha256:
        raise DataError(f"{settings.model}: a worker has another model of this name")
    return Answerer(settings)


@dataclass(frozen=True)
class JobRequest:
    """What to answer, and where to."""

    input_name: str
    """A file, or a folder of files."""
    input_format: str
    folder: Path
    output_format: str = "jsonl"
    partition_rows: int = 10_000
    jobs: int = 1
    dask: str | None = None
    """The address of a scheduler; None for processes of this machine."""


def do_job(answerer: Answerer, request: JobRequest, tracker: Tracker) -> Tally:
    """Answer all partitions that are not answered yet; counts are of all of them."""
    if request.jobs > 1 or request.dask is not None:
        answerer.require_known_elsewhere()
    with tracker.phase("reading the input", is_long=False):
        paths = input_paths(request.input_name)
        partitions = make_partitions(paths, request.input_format, request.partition_rows)
    folder = JobFolder(request.folder.absolute(), _job(answerer.settings, request, partitions))
    with new_folders(folder.records), locked_folder(folder.records):
        folder.begin()
        missing = [partition for partition in partitions if folder.tally_of(partition) is None]
        if len(missing) < len(partitions):
            note(f"{len(partitions) - len(missing)} of {len(partitions)} partitions are there")
        done = _done(folder, iter(missing), request)
        for _ in tracker.track(done, "partitions answered", len(missing)):
            pass
        folder.clean()
        total = Tally()
        for partition in partitions:
            if (tally := folder.tally_of(partition)) is None:
                raise DataError(f"{folder.answers(partition.number)}: is missing")
            total += tally
        return total


def _job(settings: AnswerSettings, request: JobRequest, partitions: list[Partition]) -> Job:
    return Job(
        version=__version__,
        model_sha256=sha256_of(find_model(settings.model)),
        facts_sha256="" if settings.store is None else sha256_of(Path(settings.store)),
        settings=_found_everywhere(settings),
        output_format=request.output_format,
        partition_rows=request.partition_rows,
        inputs=tuple(dict.fromkeys(partition.file for partition in partitions)),
        num_partitions=len(partitions),
    )


def _found_everywhere(settings: AnswerSettings) -> AnswerSettings:
    """Return the same with paths from the root: workers do their work in other folders."""

    def absolute(path: str | None) -> str | None:
        return None if path is None else str(Path(path).absolute())

    model = settings.model
    if model not in shipped_models():
        model = str(Path(model).absolute())
    return replace(
        settings, model=model, store=absolute(settings.store), data=absolute(settings.data)
    )


def _done(
    folder: JobFolder, partitions: Iterator[Partition], request: JobRequest
) -> Iterator[Tally]:
    """Yield the counts of partitions, as they are done."""
    if request.dask is not None:
        from lear.parallel.dask_cluster import connected, on_cluster

        with connected(request.dask) as client:
            yield from on_cluster(client, folder.answer, partitions)
    elif request.jobs > 1:
        from lear.parallel.processes import in_processes

        make: Callable[[], Callable[[Partition], Tally]]
        make = partial(attrgetter("answer"), folder)
        yield from in_processes(make, partitions, request.jobs)
    else:
        yield from map(folder.answer, partitions)
