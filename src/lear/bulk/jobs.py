"""Partitions: input files cut into parts of so many rows, which are answered one by one.

The folder of a job: partitions of answers, and what tells which of them are whole.

Partitions lie in the folder itself, so that it can be read as one table. What belongs to the job
lies in `_job`, which readers of such folders leave out: `job.json` says what is answered how, and
each partition that is whole has a record there, written after it. A worker that is killed leaves no
record, so its partition is done again, over whatever it has written.

Answering one partition: the work of a process, or of a worker of a cluster.

A job from end to end: cut the input, do what is missing, and say what came of all of it.
"""

import hashlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from lear.answering.request import MAX_REMEMBERED
from lear.bulk.answering import Answerer, AnswerSettings, Chunk
from lear.bulk.files import (
    Tally,
    answer_chunk,
    answer_file,
    input_paths,
    open_input,
    require_known_elsewhere,
    text_chunks,
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
    """Where its first row is: the byte of a text file; of a table it says nothing."""
    first: int
    """The number of its first row, from 1."""
    rows: int

    def chunks(self) -> Iterator[Chunk]:
        """Its rows; raise `DataError` if the file is not what it was."""
        path, source = Path(self.file.path), as_utf8(self.file.path)
        if (path_state := _state(path)) != (self.file.size, self.file.changed):
            cause = "is not there" if path_state is None else "has changed since the work was begun"
            raise DataError(f"{source}: {cause}, or is another one on the machine of a worker")
        if self.file.input_format == "parquet":
            from lear.bulk.files import parquet_chunks

            yield from parquet_chunks(path, source, self.first, self.rows)
            return
        left = self.rows
        with open_input(path, source) as stream:
            stream.seek(self.begin)
            for chunk in text_chunks(stream, source, self.file.input_format, first=self.first):
                if chunk.num_rows >= left:
                    yield chunk.cut(left)
                    return
                left -= chunk.num_rows
                yield chunk


def make_partitions(paths: list[Path], input_format: str, rows: int) -> list[Partition]:
    """All rows of these files, in order, cut into partitions of at most so many."""
    partitions: list[Partition] = []
    for path in paths:
        scan = _scan_table if input_format == "parquet" else _scan_text
        file, begins = scan(path.absolute(), input_format, rows)
        for index, begin in enumerate(begins):
            first = index * rows + 1
            size = min(rows, file.rows - index * rows)
            partitions.append(Partition(len(partitions), file, begin, first, size))
    return partitions


def _scan_text(path: Path, input_format: str, rows: int) -> tuple[InputFile, list[int]]:
    """A file, and the bytes at which its partitions begin."""
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
    num_partitions = -(-num_lines // rows)
    return _file(path, input_format, digest.hexdigest(), num_lines), begins[:num_partitions]


def _scan_table(path: Path, input_format: str, rows: int) -> tuple[InputFile, list[int]]:
    from lear.bulk.files import count_rows

    num_rows = count_rows(path, str(path))
    file = _file(path, input_format, sha256_of(path), num_rows)
    return file, [0] * -(-num_rows // rows)


def _file(path: Path, input_format: str, sha256: str, rows: int) -> InputFile:
    state = _state(path)
    if state is None:
        raise DataError(f"{path}: went away while it was read")
    return InputFile(str(path), input_format, *state, sha256, rows)


def _state(path: Path) -> tuple[int, int] | None:
    """Size and time of a file; None if there is none."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns


JOB = "_job"


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """All that the answers in a folder depend on."""

    version: str
    """Of lear."""
    model_sha256: str
    facts_sha256: str
    """Of the file of `--store`; empty without one."""
    settings: AnswerSettings
    output_format: str
    partition_rows: int
    inputs: tuple[InputFile, ...]
    num_partitions: int

    @property
    def num_rows(self) -> int:
        """Of all input files."""
        return sum(file.rows for file in self.inputs)

    @property
    def _policy(self) -> AnswerSettings:
        """What answers depend on; without the names of files, whose contents are compared."""
        return replace(self.settings, model="", store=None, max_remembered=MAX_REMEMBERED)

    def difference(self, other: "Job") -> str:
        """What differs from another job, in words; empty if answers would be the same."""
        told = {
            "version": "another version of lear",
            "model_sha256": "another model",
            "facts_sha256": "other facts",
            "_policy": "other settings",
            "output_format": "another output format",
            "partition_rows": "another number of rows a partition",
        }
        for name, words in told.items():
            if getattr(self, name) != getattr(other, name):
                return words
        files, others = ([(f.sha256, f.input_format) for f in job.inputs] for job in (self, other))
        return "" if files == others else "another input"


class JobFolder:
    """Where the partitions of a job are written."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.records = self.path / JOB
        """The folder of the job's own files, which is locked while it is worked on."""

    def begin(self, job: Job) -> None:
        """Begin a job, or go on with it; raise `UsageError` if the folder has another one."""
        file = self.records / "job.json"
        if file.is_file():
            earlier = read_json(file, Job, "what says which job this is")
            difference = earlier.difference(job)
            if difference and any(self.records.glob("part-*.json")):
                raise UsageError(
                    f"{self.path}: was begun with {difference}; give a new folder, or the same "
                    "again to go on"
                )
        elif others := {p.name for p in self.path.iterdir()} - {JOB}:
            raise UsageError(f"{self.path}: not empty ({min(others)}); give a new folder")
        self.clean()
        write_whole(file, msgspec.json.format(encode_json(job)) + b"\n")

    def clean(self) -> None:
        """Throw away what killed workers left half-written."""
        for path in partial_files(self.path) | partial_files(self.records):
            path.unlink(missing_ok=True)

    def answers(self, number: int, job: Job) -> Path:
        """The file of a partition's answers."""
        name = f"part-{number:05}-of-{job.num_partitions:05}.{job.output_format}"
        return self.path / name

    def record(self, number: int) -> Path:
        """The file that says that a partition is whole."""
        return self.records / f"part-{number:05}.json"

    def tally_of(self, partition: Partition, job: Job) -> Tally | None:
        """What came of a partition; None if it is to be done."""
        record = self.record(partition.number)
        if not record.is_file() or not self.answers(partition.number, job).is_file():
            return None
        tally = read_json(record, Tally, "the record of a partition")
        if tally.rows != partition.rows:
            raise DataError(f"{record}: tells of {tally.rows} rows, not of {partition.rows}")
        return tally


_one_at_a_time = threading.Lock()
"""A parser answers one question after the other; a worker may have several threads."""


@dataclass(frozen=True)
class PartitionWork:
    """What is done to each partition of a job; can be pickled."""

    job: Job
    folder: str

    def __call__(self, partition: Partition) -> Tally:
        """Write the answers to a partition, then its record; each is whole or not there at all."""
        with _one_at_a_time:
            answerer = _answerer(self.job.settings, self.job.model_sha256, self.job.version)
            folder = JobFolder(Path(self.folder))
            path = folder.answers(partition.number, self.job)
            try:
                tally = self._write(answerer, partition, path)
            except OSError as error:
                reason = error.strerror or str(error)
                raise DataError(f"{path}: cannot be written: {reason}") from None
            if tally.rows != partition.rows:
                path.unlink()
                raise DataError(f"{partition.file.path}: its rows changed while it was read")
            write_whole(folder.record(partition.number), encode_json(tally))
            return tally

    def _write(self, answerer: Answerer, partition: Partition, path: Path) -> Tally:
        tally = Tally()
        output_format = self.job.output_format
        with whole_file(path) as stream, answer_file(stream, output_format) as write:
            for chunk in partition.chunks():
                content, counts = answer_chunk(answerer, output_format, chunk)
                write(content)
                tally += counts
        return tally


@lru_cache(maxsize=1)
def _answerer(settings: AnswerSettings, model_sha256: str, version: str) -> Answerer:
    """A parser for many partitions; raise `DataError` if it would answer as another one."""
    if version != __version__:
        raise DataError(f"a worker has lear {__version__}, and the command {version}")
    if model_digest(settings.model) != model_sha256:
        raise DataError(f"{settings.model}: a worker has another model of this name")
    return Answerer(settings)


def model_digest(name_or_path: str) -> str:
    """The digest of a model's file."""
    return sha256_of(find_model(name_or_path))


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
        require_known_elsewhere(answerer)
    with tracker.phase("reading the input", is_long=False):
        paths = input_paths(request.input_name)
        partitions = make_partitions(paths, request.input_format, request.partition_rows)
    job = _job(answerer.settings, request, partitions)
    folder = JobFolder(request.folder)
    with new_folders(folder.records), locked_folder(folder.records):
        folder.begin(job)
        tallies = {p.number: folder.tally_of(p, job) for p in partitions}
        missing = [p for p in partitions if tallies[p.number] is None]
        if len(missing) < len(partitions):
            note(f"{len(partitions) - len(missing)} of {len(partitions)} partitions are there")
        work = PartitionWork(job, str(folder.path))
        done = _done(work, iter(missing), request)
        for _ in tracker.track(done, "partitions answered", len(missing)):
            pass
        folder.clean()
        return _total(folder, job, partitions)


def _total(folder: JobFolder, job: Job, partitions: list[Partition]) -> Tally:
    """The counts of all partitions, which must be whole by now."""
    total = Tally()
    for partition in partitions:
        tally = folder.tally_of(partition, job)
        if tally is None:
            raise DataError(f"{folder.answers(partition.number, job)}: is missing")
        total += tally
    return total


def _done(
    work: PartitionWork, partitions: Iterator[Partition], request: JobRequest
) -> Iterator[Tally]:
    """What comes of partitions, as they are done."""
    if request.dask is not None:
        from lear.parallel.dask_cluster import connected, on_cluster

        with connected(request.dask) as client:
            yield from on_cluster(client, work, partitions)
    elif request.jobs > 1:
        from lear.parallel.processes import in_processes

        make: Callable[[], PartitionWork] = partial(PartitionWork, work.job, work.folder)
        yield from in_processes(make, partitions, request.jobs)
    else:
        yield from map(work, partitions)


def _job(settings: AnswerSettings, request: JobRequest, partitions: list[Partition]) -> Job:
    return Job(
        version=__version__,
        model_sha256=model_digest(settings.model),
        facts_sha256="" if settings.store is None else sha256_of(Path(settings.store)),
        settings=_found_everywhere(settings),
        output_format=request.output_format,
        partition_rows=request.partition_rows,
        inputs=tuple(dict.fromkeys(partition.file for partition in partitions)),
        num_partitions=len(partitions),
    )


def _found_everywhere(settings: AnswerSettings) -> AnswerSettings:
    """The same with paths from the root: workers do their work in other folders."""

    def absolute(path: str | None) -> str | None:
        return None if path is None else str(Path(path).absolute())

    model = settings.model
    if model not in shipped_models():
        model = str(Path(model).absolute())
    return replace(
        settings, model=model, store=absolute(settings.store), data=absolute(settings.data)
    )
