"""`lear parse`: parse sentences, and print their derivations and forms."""

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from lear.cli.arguments import (
    CommandParser,
    add_answer_options,
    add_model_argument,
    answer_settings,
    one_of,
)
from lear.cli.loading import open_stdin
from lear.cli.output import write, write_json
from lear.domain import Domain, Execute, answer_text, open_store, run_form
from lear.errors import DataError, LearError, UsageError
from lear.messages import note
from lear.storage.files import STDIN, TextLine, text_lines

if TYPE_CHECKING:
    from lear.parser import Parse, Parser

EXAMPLES = """  lear parse cogs "A rose was helped by a dog."
  lear parse cogs "Emma gave the girl a cake." --nbest 3
  lear parse cfq "Did M0 direct M1" --execute
  lear parse geo "what is the capital of the largest state" --execute
  lear parse geo                       # asks for sentences
  lear parse geo - < questions.txt
  lear parse runs/toy "Tom teaches John's daughter" --format svg > tree.svg"""

FORMATS = ("text", "json", "svg", "latex")
Run = Callable[[str], dict[str, object]]
"""A form -> what is shown of its answer: `answer` and `unit`, or `error`."""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    add_model_argument(parser)
    parser.add_argument(
        "sentence",
        nargs="?",
        metavar="SENTENCE",
        help="the sentence, in quotes; - reads standard input, one a line (default: ask for them)",
    )
    parser.add_number(
        "--nbest", "print N answers: that of the best derivation, then others, likeliest first", 1
    )
    parser.add_argument(
        "--format", default="text", metavar="|".join(FORMATS), help="what to print (default: text)"
    )
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    add_answer_options(parser)


def run(options: Namespace) -> None:
    """Print the best answers to each sentence."""
    from lear.parser import Parser

    output_format = "json" if options.json else one_of(options.format, FORMATS, "format")
    is_one = options.sentence not in (None, "-")
    if output_format in ("svg", "latex") and (options.nbest > 1 or options.execute or not is_one):
        raise UsageError(f"--format {output_format} draws one derivation of one sentence")
    if options.store is not None and not options.execute:
        raise UsageError("--store says where to run a form: give --execute as well")
    parser = Parser.from_pretrained(options.model, **answer_settings(options))
    runner = _runner(parser.domain, options) if options.execute else None
    failures = []
    for line in [TextLine(1, options.sentence)] if is_one else _typed(options, parser):
        if line.error:
            reason: str | None = _unread(line, output_format)
        else:
            reason = _answer(parser(line.text, options.nbest), runner, output_format)
        if reason is not None:
            failures.append(reason)
            if not is_one and output_format == "text":
                write(reason)  # in its place among the answers
    if failures:
        raise DataError(failures[0] if is_one else f"sentences without an answer: {len(failures)}")


def _answer(parse: "Parse", runner: Run | None, output_format: str) -> str | None:
    """Print the answers; return the reason if there is none, or if the form cannot be run."""
    for text in parse.notes:
        note(text)
    if parse.form is None:
        if output_format == "json":
            write(parse.to_json().decode())
        return f"no answer: {parse.reason}"
    failure = None
    for rank, answer in enumerate(parse.nbest, start=1):
        result = {} if runner is None else runner(answer.form or "")
        _print(answer, rank if parse.alternatives else None, result, output_format)
        if "error" in result and failure is None:
            failure = f"the form cannot be run: {result['error']}"
    return failure


def _print(parse: "Parse", rank: int | None, result: dict[str, object], output_format: str) -> None:
    if output_format == "json":
        extra = result if rank is None else {"rank": rank} | result
        write(msgspec.json.encode(parse.to_record(explained=True) | extra).decode())
    elif output_format == "svg":
        write(parse.to_svg().rstrip())
    elif output_format == "latex":
        write(parse.to_latex().rstrip())
    else:
        write(str(parse))
        if parse.probability is not None:
            write(f"probability: {parse.probability:.2f}")
        if "answer" in result:
            unit = result.get("unit")
            shown = answer_text(result["answer"], unit if isinstance(unit, str) else None)
            write(f"answer: {shown}")


def _runner(domain: Domain, options: Namespace) -> Run:
    """Return what runs forms; facts are opened for the first one, after its parse."""

    @cache
    def execute() -> Execute:
        return open_store(domain, options.store, options.data)

    def run_it(form: str) -> dict[str, object]:
        try:
            return run_form(domain, execute(), form)
        except LearError as error:
            return {"error": str(error)}

    return run_it


def _unread(line: TextLine, output_format: str) -> str:
    """Print that a line cannot be read; return the reason."""
    reason = f"{STDIN}:{line.number}: {line.error}"
    if output_format == "json":
        write_json({"text": line.text, "form": None, "reason": reason})
    return f"no answer: {reason}"


def _typed(options: Namespace, parser: "Parser") -> Iterator[TextLine]:
    """Yield the lines of standard input; ask whoever types them."""
    lines = text_lines(open_stdin())
    is_asking = options.sentence is None and sys.stdin.isatty()
    if is_asking:
        unknown = "overlooked" if parser.unknown_words == "overlook" else "refused"
        note(
            f"a parser of {parser.domain.name}; unknown words are {unknown}: a sentence a line; "
            "an empty line, or the end of input, ends"
        )
    while True:
        if is_asking:
            sys.stderr.write("> ")
            sys.stderr.flush()
        line = next(lines, None)
        if line is None or (is_asking and not line.error and not line.text.strip()):
            return
        yield line
