"""`lear predict`: parse many sentences, and write the answers in order."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lear.cli.arguments import (
    CommandParser,
    add_answer_options,
    add_model_argument,
    answer_settings,
    one_of,
)
from lear.cli.loading import open_stdin
from lear.cli.output import output_file, stderr_tracker
from lear.errors import DataError, UsageError
from lear.messages import note
from lear.storage.files import STDIN

if TYPE_CHECKING:
    from lear.bulk.answering import Answerer
    from lear.bulk.files import Chunk, Tally, Write

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
    add_model_argument(parser)
    _configure_files(parser)
    parser.add_number("--nbest", "also list the N best answers", 1)
    parser.add_argument(
        "--no-probability",
        action="store_true",
        help="do not work out how likely answers are, which takes most of the time",
    )
    parser.add_number("--jobs", "processes that parse", 1)
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="let the workers of this Dask scheduler parse, into --output-folder; a cluster runs "
        "what it is sent, so use only one that you trust",
    )
    parser.add_argument("--json", action="store_true", help="JSON lines, which is the default")
    parser.add_number(
        "--max-remembered",
        "remember the derivations of so many sentence skeletons; fewer take less memory "
        "(default: 10,000)",
    )
    add_answer_options(parser)


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
        metavar="lines|tsv|jsonl|parquet",
        help="lines: one sentence a line; tsv: the sentence is the first column; jsonl, parquet: "
        "the sentence is the field `sentence`, `text` or `utterance`, and other fields are kept "
        "(default: what the name of the file says, else lines)",
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
        "--output-format",
        metavar="jsonl|parquet",
        default="jsonl",
        help="format of partitions (default: jsonl)",
    )
    parser.add_number("--partition-rows", "rows of a partition", 10_000)


def run(options: Namespace) -> None:
    """Write one JSON object, or one row, for each row of input, in order."""
    from lear.bulk.answering import Answerer, AnswerSettings
    from lear.bulk.files import FORMATS, format_of

    input_format = one_of(options.format or format_of(options.input), FORMATS, "format")
    _check(options, input_format)
    settings = AnswerSettings(
        options.model,
        **answer_settings(options),
        nbest=options.nbest,
        has_probability=not options.no_probability,
        executes=options.execute,
        store=options.store,
        data=options.data,
    )
    if options.max_remembered is not None:
        settings = replace(settings, max_remembered=options.max_remembered)
    answerer = Answerer(settings)
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
    open_stdin()


def _write_stream(answerer: "Answerer", input_format: str, options: Namespace) -> "Tally":
    """Write the answers to one file, or to standard output."""
    from lear.bulk.files import Tally, answered

    total = Tally()
    with _output(options.output) as (write, kind):
        answers = answered(answerer, _chunks(input_format, options), kind, options.jobs)

        def rows_written() -> Iterator[int]:
            nonlocal total
            for content, tally in answers:
                write(content)
                total += tally
                yield from range(tally.rows)

        for _ in stderr_tracker().track(rows_written(), "parsed", None):
            pass
    return total


def _chunks(input_format: str, options: Namespace) -> "Iterator[Chunk]":
    from lear.bulk.files import file_chunks, text_chunks

    if options.input == "-":
        # Somebody who waits for an answer gets it at once; others wait for a batch.
        rows = 1 if sys.stdin.isatty() else STDIN_ROWS
        return text_chunks(open_stdin(), STDIN, input_format, rows)
    return file_chunks(Path(options.input), options.input, input_format)


@contextmanager
def _output(path: str | None) -> "Iterator[tuple[Write, str]]":
    """Yield what writes answers of chunks, and their format."""
    from lear.bulk.files import answer_file

    kind = "parquet" if path is not None and Path(path).suffix == ".parquet" else "jsonl"
    with output_file(path) as stream:
        if stream is None:
            yield lambda content: sys.stdout.write(content.decode()), kind
            return
        with answer_file(stream, kind) as write:
            yield write, kind


def _write_partitions(answerer: "Answerer", input_format: str, options: Namespace) -> "Tally":
    """Write the answers as partitions into a folder, or those that are not there yet."""
    from lear.bulk.files import OUTPUT_FORMATS
    from lear.bulk.jobs import JobRequest, do_job

    request = JobRequest(
        input_name=options.input,
        input_format=input_format,
        folder=Path(options.output_folder),
        output_format=one_of(options.output_format, OUTPUT_FORMATS, "output format"),
        partition_rows=options.partition_rows,
        jobs=options.jobs,
        dask=options.dask,
    )
    tally = do_job(answerer, request, stderr_tracker())
    note(f"{options.output_folder}: {tally.rows:,} rows answered")
    return tally
