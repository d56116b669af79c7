"""`lear predict`: parse many sentences, and print the results in order as JSON lines."""

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lear.cli.arguments import (
    CommandParser,
    add_domain_option,
    add_memory_option,
    add_policy_options,
    add_skip_option,
    add_store_option,
    load_named_domain,
    one_of,
    policy,
    positive,
    skipped_finishing_steps,
)
from lear.cli.output import output_file, stderr_tracker
from lear.errors import DataError, UsageError
from lear.messages import note
from lear.storage.files import STDIN

if TYPE_CHECKING:
    from lear.bulk.answering import Answerer, Chunk
    from lear.bulk.files import ChunkAnswers, Tally, Write

EXAMPLES = """  lear predict cogs < sentences.txt > answers.jsonl
  lear predict cogs --format tsv < gen.tsv > answers.jsonl
  lear predict geo --execute --nbest 3 --jobs 2 < questions.txt
  lear predict runs/toy --input in.jsonl --output answers.parquet
  lear predict cogs --input in.parquet --output-folder answers --jobs 2
  lear predict cogs --input in.parquet --output-folder answers --dask tcp://10.0.0.1:8786"""

STDIN_ROWS = 64
"""Rows of standard input that are waited for before they are answered."""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", metavar="MODEL", help="a run's folder, or a shipped model's name")
    _configure_files(parser)
    parser.add_argument(
        "--nbest", type=positive, default=1, metavar="K", help="also list the K best answers"
    )
    parser.add_argument(
        "--no-probability",
        action="store_true",
        help="do not work out how likely answers are, which takes most of the time",
    )
    parser.add_argument("--execute", action="store_true", help="also execute the forms")
    parser.add_argument(
        "--jobs", type=positive, default=1, metavar="N", help="processes that parse (default: 1)"
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="let the workers of this Dask scheduler parse, into --output-folder; a cluster runs "
        "what it is sent, so use only one that you trust",
    )
    parser.add_argument("--json", action="store_true", help="JSON lines, which is the default")
    add_domain_option(parser)
    add_policy_options(parser)
    add_memory_option(parser)
    add_skip_option(parser)
    add_store_option(parser)
    parser.add_data_option()


def _configure_files(parser: CommandParser) -> None:
    """Declare where sentences come from, and where answers go."""
    parser.add_argument(
        "--input",
        metavar="FILE",
        default="-",
        help="file of sentences (default: standard input); with --output-folder also a folder",
    )
    parser.add_argument(
        "--format",
        help="lines: one sentence per line (default); tsv: the sentence is the first column; "
        "jsonl, parquet: the sentence is the field `sentence`, `text` or `utterance`, other fields "
        "are kept; by default what the name of the file says",
    )
    parser.add_argument(
        "--output", metavar="FILE", help="write there, as JSON lines, or as Parquet (.parquet)"
    )
    parser.add_argument(
        "--output-folder",
        metavar="FOLDER",
        help="write partitions into a folder; the same command goes on where it was cut off",
    )
    parser.add_argument(
        "--output-format", help="of partitions: jsonl (default) or parquet", default="jsonl"
    )
    parser.add_argument(
        "--partition-rows",
        type=positive,
        default=10_000,
        metavar="N",
        help="rows of a partition (default: 10,000)",
    )


def run(options: Namespace) -> None:
    """Write one JSON object, or one row, for each row of input, in order."""
    from lear.bulk.files import FORMATS, format_of

    input_format = one_of(options.format or format_of(options.input), FORMATS, "format")
    _check(options, input_format)
    load_named_domain(options)
    answerer = _answerer(options)
    if options.output_folder is not None:
        tally = _write_partitions(answerer, input_format, options)
    else:
        tally = _write_stream(answerer, input_format, options)
    if tally.bad:
        raise DataError(f"rows that could not be read: {tally.bad}; the first: {tally.first_bad}")


def _check(options: Namespace, input_format: str) -> None:
    """Raise an error if options do not go together."""
    if options.dask is not None and options.output_folder is None:
        raise UsageError("--dask needs --output-folder, which all workers must see")
    if options.output is not None and options.output_folder is not None:
        raise UsageError("give --output or --output-folder, not both")
    if options.input != "-":
        return
    if options.output_folder is not None or input_format == "parquet":
        raise UsageError("standard input can only be read once, from its beginning: give --input")
    if sys.stdin is None:
        raise DataError("standard input is closed")


def _answerer(options: Namespace) -> "Answerer":
    from dataclasses import replace

    from lear.bulk.answering import Answerer, AnswerSettings

    settings = AnswerSettings(
        model=options.model,
        **policy(options),
        nbest=options.nbest,
        has_probability=not options.no_probability,
        executes=options.execute,
        store=options.store,
        data=options.data,
        max_remembered=options.max_remembered,
    )
    answerer = Answerer(settings)
    steps = skipped_finishing_steps(answerer.parser.domain, options)
    answerer.parser.skip_steps = steps
    answerer.settings = replace(settings, skip_steps=steps)
    return answerer


def _write_stream(answerer: "Answerer", input_format: str, options: Namespace) -> "Tally":
    """Write the answers to one file, or to standard output."""
    from lear.bulk.files import Tally, answered

    total = Tally()

    def rows_written(answers: "Iterable[ChunkAnswers]", write: "Write") -> Iterator[int]:
        nonlocal total
        for content, tally in answers:
            write(content)
            total += tally
            yield from range(tally.rows)

    chunks = _chunks(input_format, options)
    with _output(options.output) as (write, kind):
        answers = answered(answerer, chunks, kind, options.jobs)
        for _ in stderr_tracker().track(rows_written(answers, write), "parsed", None):
            pass
    return total


def _chunks(input_format: str, options: Namespace) -> "Iterator[Chunk]":
    from lear.bulk.files import file_chunks, text_chunks

    if options.input == "-":
        # Somebody who waits for an answer gets it at once; others wait for a batch.
        rows = 1 if sys.stdin.isatty() else STDIN_ROWS
        return text_chunks(sys.stdin.buffer, STDIN, input_format, rows)
    return file_chunks(Path(options.input), options.input, input_format)


@contextmanager
def _output(path: str | None) -> "Iterator[tuple[Write, str]]":
    """What writes contents of chunks, and their format."""
    from lear.bulk.files import answer_file

    if path is None:
        yield lambda content: sys.stdout.write(content.decode()), "jsonl"
        return
    kind = "parquet" if Path(path).suffix == ".parquet" else "jsonl"
    with output_file(path) as stream:
        assert stream is not None  # a path is given
        with answer_file(stream, kind) as write:
            yield write, kind


def _write_partitions(answerer: "Answerer", input_format: str, options: Namespace) -> "Tally":
    """Write the answers as partitions into a folder, or those that are not there yet."""
    from lear.bulk.files import OUTPUT_FORMATS
    from lear.bulk.jobs import JobRequest, do_job

    output_format = one_of(options.output_format, OUTPUT_FORMATS, "output format")
    request = JobRequest(
        input_name=options.input,
        input_format=input_format,
        folder=Path(options.output_folder),
        output_format=output_format,
        partition_rows=options.partition_rows,
        jobs=options.jobs,
        dask=options.dask,
    )
    tally = do_job(answerer, request, stderr_tracker())
    note(f"{options.output_folder}: {tally.rows:,} rows answered")
    return tally
