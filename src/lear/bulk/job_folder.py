"""The folder of a job: partitions of answers, and what tells which of them are whole.

Partitions lie in the folder itself, so that it can be read as one table. What belongs to the job
lies in `_job`, which readers of such folders leave out: `job.json` says what is answered how, and
each partition that is whole has a record there, written after it. A worker that is killed leaves no
record, so its partition is done again, over whatever it has written.
"""

from dataclasses import replace
from pathlib import Path

import msgspec

from lear.bulk.answering import AnswerSettings
from lear.bulk.partitions import InputFile, Partition
from lear.bulk.tally import Tally
from lear.decoding.limits import MAX_REMEMBERED
from lear.errors import DataError, UsageError
from lear.storage.atomic_file import partial_files, write_whole
from lear.storage.json_file import encode_json, read_json

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
