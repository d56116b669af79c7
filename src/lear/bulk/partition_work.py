"""Answering one partition: the work of a process, or of a worker of a cluster."""

import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lear.bulk.answer_files import answer_chunk, answer_file
from lear.bulk.answering import Answerer, AnswerSettings
from lear.bulk.job_folder import Job, JobFolder
from lear.bulk.partitions import Partition
from lear.bulk.tally import Tally
from lear.errors import DataError
from lear.storage.atomic_file import whole_file, write_whole
from lear.storage.data_file import sha256_of
from lear.storage.json_file import encode_json
from lear.storage.model_files import find_model
from lear.version import __version__

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
