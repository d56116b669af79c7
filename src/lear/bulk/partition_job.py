"""A job from end to end: cut the input, do what is missing, and say what came of all of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from lear.bulk.answering import Answerer, AnswerSettings
from lear.bulk.input_files import input_paths
from lear.bulk.job_folder import Job, JobFolder
from lear.bulk.partition_work import PartitionWork, model_digest
from lear.bulk.partitions import Partition, make_partitions
from lear.bulk.streaming import require_known_elsewhere
from lear.bulk.tally import Tally
from lear.errors import DataError
from lear.messages.notes import note
from lear.messages.progress import Tracker
from lear.storage.atomic_file import new_folders
from lear.storage.data_file import sha256_of
from lear.storage.folder_lock import locked_folder
from lear.storage.model_files import shipped_models
from lear.version import __version__


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
