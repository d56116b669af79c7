"""`lear parse`: parse one sentence, and print its derivation and form."""

from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from lear.cli.command_parser import CommandParser, one_of, positive
from lear.cli.output import write, write_json
from lear.cli.shared_options import (
    add_skip_option,
    add_store_option,
    open_store,
    skipped_finishing_steps,
)
from lear.errors import DataError, FormError, UsageError
from lear.messages.suggestions import nearest

if TYPE_CHECKING:
    from lear.parser import Parse, Parser

EXAMPLES = """  lear parse cogs "A rose was helped by a dog ."
  lear parse cogs "Emma gave the girl a cake ." --nbest 3
  lear parse cfq "Did M0 direct M1" --execute
  lear parse geo "what is the capital of the largest state" --execute
  lear parse runs/toy "Tom teaches John 's daughter" --format svg > tree.svg"""

FORMATS = ("text", "json", "svg")


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", metavar="MODEL", help="a run's folder, or a shipped model's name")
    parser.add_argument("sentence", metavar="SENTENCE", help="the sentence, in quotes")
    parser.add_argument("--nbest", type=positive, default=1, metavar="K", help="the K best answers")
    parser.add_argument("--format", default="text", help="text (default), json or svg")
    parser.add_argument(
        "--execute", action="store_true", help="execute the form and print its answer"
    )
    parser.add_argument(
        "--overlook", action="store_true", help="treat unknown words as function words"
    )
    add_skip_option(parser)
    add_store_option(parser)
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Print the best answers."""
    from lear.parser import Parser

    output_format = one_of(options.format, FORMATS, "format")
    if output_format == "svg" and (options.nbest > 1 or options.execute):
        raise UsageError("--format svg draws one derivation; leave out --nbest and --execute")
    if not options.sentence.split():
        raise UsageError("the sentence is empty")
    if options.store is not None and not options.execute:
        raise UsageError("--store says where to run a form: give --execute as well")
    parser = Parser.from_pretrained(options.model)
    parser.skip_steps = skipped_finishing_steps(parser.domain, options)
    execute = open_store(parser.domain, options.store, options.data) if options.execute else None
    if not options.overlook:
        _refuse_unknown_words(parser, options.sentence)
    parse = parser(options.sentence, options.nbest)
    if parse.form is None:
        raise DataError(f"no answer: {parse.reason}")
    failures = []
    for answer in parse.nbest or (parse,):
        result = {} if execute is None else _execute(execute, answer.form or "")
        _print(answer, result, output_format)
        failures += [result["error"]] if "error" in result else []
    if failures:
        raise DataError(f"the form cannot be run: {failures[0]}")


def _refuse_unknown_words(parser: "Parser", sentence: str) -> None:
    unknown = parser.reader.unknown_words(parser.domain.words.tokenize(sentence))
    if unknown:
        units = parser.model.lexicon.units
        hint = nearest(unknown[0], {word for unit in units for word in (*unit, " ".join(unit))})
        raise DataError(
            f"no answer: unknown word {unknown[0]!r}{hint} (--overlook does without it)"
        )


def _print(parse: "Parse", result: dict[str, object], output_format: str) -> None:
    from lear.core.drawing import as_svg, as_text

    assert parse.derivation is not None  # an answer with a form has one
    if output_format == "json":
        write_json(parse.to_dict() | result)
    elif output_format == "svg":
        write(as_svg(parse.derivation, parse.tokens).rstrip())
    else:
        write(f"{as_text(parse.derivation, parse.tokens)}\n=> {parse.form}")
        if "answer" in result:
            write(f"answer: {msgspec.json.encode(result['answer']).decode()}")


def _execute(execute: Callable[[str], object], form: str) -> dict[str, object]:
    """The fields that execution adds to the output: `answer`, or `error` if it fails."""
    try:
        return {"answer": execute(form)}
    except FormError as error:
        return {"error": str(error)}
