"""`lear predict`: parse many sentences, and print the results in order as JSON lines."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import msgspec

from lear.cli.command_parser import CommandParser, one_of, positive
from lear.cli.output import write, write_json
from lear.cli.progress import stderr_tracker
from lear.cli.shared_options import (
    add_policy_options,
    add_skip_option,
    add_store_option,
    open_store,
    run_form,
    skipped_finishing_steps,
)
from lear.domain.domain import Domain, Execute
from lear.errors import DataError, FormError

if TYPE_CHECKING:
    from lear.parser import Parse, Parser

EXAMPLES = """  lear predict cogs < sentences.txt > answers.jsonl
  lear predict cogs --format tsv < gen.tsv > answers.jsonl
  lear predict geo --execute --nbest 3 --jobs 2 < questions.txt
  lear predict runs/toy --input in.jsonl"""

FORMATS = ("lines", "tsv", "jsonl")
ANSWER_FIELDS = frozenset(
    [
        "text",
        "sentence",
        "form",
        "probability",
        "score",
        "derivation",
        "reason",
        "repaired",
        "guessed",
        "overlooked",
        "unused",
        "nbest",
        "answer",
        "unit",
        "error",
    ]
)
"""What an answer says; fields of the input that are named so give way to it."""


class Line(NamedTuple):
    """A line of input: its sentence, or what is wrong with it."""

    fields: dict[str, object]
    """Other fields of the line, which are kept."""
    sentence: str
    error: str = ""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", metavar="MODEL", help="a run's folder, or a shipped model's name")
    parser.add_argument(
        "--input", metavar="FILE", default="-", help="file of sentences (default: standard input)"
    )
    parser.add_argument(
        "--format",
        default="lines",
        help="lines: one sentence per line (default); tsv: the sentence is the first column; "
        "jsonl: the sentence is the field `sentence`, other fields are kept",
    )
    parser.add_argument(
        "--nbest", type=positive, default=1, metavar="K", help="also list the K best answers"
    )
    parser.add_argument("--execute", action="store_true", help="also execute the forms")
    parser.add_argument(
        "--jobs", type=positive, default=1, metavar="N", help="processes that parse (default: 1)"
    )
    parser.add_argument("--json", action="store_true", help="JSON lines, which is the only output")
    add_policy_options(parser)
    add_skip_option(parser)
    add_store_option(parser)
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Print one JSON object for each input line, in order, some lines at a time."""
    from lear.parser import Parser

    input_format = one_of(options.format, FORMATS, "format")
    parser = Parser.from_pretrained(
        options.model,
        unknown_words=options.unknown_words,
        min_probability=options.min_probability,
    )
    parser.skip_steps = skipped_finishing_steps(parser.domain, options)
    execute = None
    if options.execute:
        execute = open_store(parser.domain, options.store, options.data)
    if options.input == "-" and sys.stdin is None:
        raise DataError("standard input is closed")
    try:
        stream = sys.stdin.buffer if options.input == "-" else open(options.input, "rb")  # noqa: SIM115
    except OSError as error:
        raise DataError(f"{options.input}: cannot be read: {error.strerror}") from None
    bad: list[str] = []
    with stream:
        lines = _lines(stream, options.input, input_format)
        for line, parse in stderr_tracker().track(_parsed(parser, lines, options), "parsed", None):
            if parse is None:
                bad.append(line.error)
                write_json(line.fields | {"form": None, "reason": line.error})
            else:
                write(_record(line, parse, parser.domain, execute, options).decode())
    if bad:
        raise DataError(f"lines that could not be read: {len(bad)}; the first one: {bad[0]}")


def _parsed(
    parser: "Parser", lines: Iterator[Line], options: Namespace
) -> Iterator[tuple[Line, "Parse | None"]]:
    """Each line with its parse, in order; None for a line that cannot be read."""
    pending: list[Line] = []

    def sentences() -> Iterator[str]:
        for line in lines:
            pending.append(line)
            if not line.error:
                yield line.sentence

    # Somebody who waits for an answer gets it at once; files are read in batches.
    batch_size = 1 if options.input == "-" and sys.stdin.isatty() else 64
    parses = parser.pipe(sentences(), options.nbest, batch_size=batch_size, jobs=options.jobs)
    for parse in parses:
        while pending[0].error:
            yield pending.pop(0), None
        yield pending.pop(0), parse
    yield from ((line, None) for line in pending)


def _record(
    line: Line, parse: "Parse", domain: Domain, execute: Execute | None, options: Namespace
) -> bytes:
    extra = {name: value for name, value in line.fields.items() if name not in ANSWER_FIELDS}
    if options.nbest > 1:
        extra["nbest"] = [
            {"rank": rank, "form": answer.form, "probability": answer.probability}
            for rank, answer in enumerate(parse.nbest, start=1)
        ]
    if execute is not None and parse.form is not None:
        try:
            extra |= run_form(domain, execute, parse.form)
        except FormError as error:
            extra["error"] = str(error)
    fields = msgspec.json.encode(extra)[1:-1]
    return parse.to_json()[:-1] + (b"," + fields if fields else b"") + b"}"


def _lines(stream: BinaryIO, name: str, input_format: str) -> Iterator[Line]:
    for number, line in enumerate(stream, start=1):
        try:
            text = line.decode("utf-8").rstrip("\r\n")
            if input_format == "jsonl":
                record = msgspec.json.decode(text, type=dict[str, object])
                sentence = record["sentence"]
                is_text = isinstance(sentence, str)
                error = "" if is_text else f"{name}:{number}: `sentence` is not text"
                yield Line(record, sentence if isinstance(sentence, str) else "", error)
            else:
                yield Line({}, text.split("\t")[0] if input_format == "tsv" else text)
        except UnicodeDecodeError:
            yield Line({}, "", f"{name}:{number}: not UTF-8 text")
        except (msgspec.DecodeError, RecursionError) as error:
            yield Line({}, "", f"{name}:{number}: not a JSON object: {error}")
        except KeyError:
            yield Line({}, "", f"{name}:{number}: no field `sentence`")
