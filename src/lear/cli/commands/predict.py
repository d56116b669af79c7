"""`lear predict`: parse many sentences, and print the results in order as JSON lines."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from lear.cli.command_parser import CommandParser, one_of
from lear.cli.output import write_json
from lear.cli.shared_options import add_skip_option, skipped_finishing_steps
from lear.errors import DataError

EXAMPLES = """  lear predict cogs < sentences.txt > answers.jsonl
  lear predict cogs --format tsv < gen.tsv > answers.jsonl
  lear predict runs/toy --input in.jsonl"""

FORMATS = ("lines", "tsv", "jsonl")


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
    add_skip_option(parser)


def run(options: Namespace) -> None:
    """Print one JSON object for each input line, as soon as it is parsed."""
    from lear.parser import Parser

    input_format = one_of(options.format, FORMATS, "format")
    parser = Parser.from_pretrained(options.model)
    parser.skip_steps = skipped_finishing_steps(parser.domain, options)
    if options.input == "-" and sys.stdin is None:
        raise DataError("standard input is closed")
    try:
        stream = sys.stdin.buffer if options.input == "-" else open(options.input, "rb")  # noqa: SIM115
    except OSError as error:
        raise DataError(f"{options.input}: cannot be read: {error.strerror}") from None
    with stream:
        for fields, sentence in _sentences(stream, options.input, input_format):
            write_json(fields | parser(sentence).to_dict())


def _sentences(
    stream: BinaryIO, name: str, input_format: str
) -> Iterator[tuple[dict[str, object], str]]:
    """The other fields and the sentence of each line."""
    for number, line in enumerate(stream, start=1):
        try:
            text = line.decode("utf-8").rstrip("\r\n")
            if input_format == "jsonl":
                record = msgspec.json.decode(text, type=dict[str, object])
                sentence = record["sentence"]
                if not isinstance(sentence, str):
                    raise DataError(f"{name}:{number}: `sentence` is not text")
                yield record, sentence
            else:
                yield {}, text.split("\t")[0] if input_format == "tsv" else text
        except UnicodeDecodeError:
            raise DataError(f"{name}:{number}: not UTF-8 text") from None
        except msgspec.DecodeError as error:
            raise DataError(f"{name}:{number}: not a JSON object: {error}") from None
        except KeyError:
            raise DataError(f"{name}:{number}: no field `sentence`") from None
