"""`lear parse`: parse sentences, and print their derivations and forms."""

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from lear.cli.arguments import (
    CommandParser,
    add_domain_option,
    add_policy_options,
    add_skip_option,
    add_store_option,
    load_named_domain,
    one_of,
    policy,
    positive,
    skipped_finishing_steps,
)
from lear.cli.output import write, write_json
from lear.domain import Domain, Execute, answer_text, open_store, run_form
from lear.errors import DataError, FormError, LearError, UsageError
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
    parser.add_argument("model", metavar="MODEL", help="a run's folder, or a shipped model's name")
    parser.add_argument(
        "sentence",
        nargs="?",
        metavar="SENTENCE",
        help="the sentence, in quotes; - for standard input, one a line (default: ask for them)",
    )
    parser.add_argument(
        "--nbest",
        type=positive,
        default=1,
        metavar="K",
        help="K answers: that of the best derivation, then others, likeliest first",
    )
    parser.add_argument("--format", default="text", help="text (default), json, svg or latex")
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    parser.add_argument(
        "--execute", action="store_true", help="execute the form and print its answer"
    )
    add_domain_option(parser)
    add_policy_options(parser)
    add_skip_option(parser)
    add_store_option(parser)
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Print the best answers to each sentence."""
    from lear.parser import Parser

    output_format = "json" if options.json else one_of(options.format, FORMATS, "format")
    is_one = options.sentence not in (None, "-")
    if output_format in ("svg", "latex") and (options.nbest > 1 or options.execute or not is_one):
        raise UsageError(f"--format {output_format} draws one derivation of one sentence")
    if options.store is not None and not options.execute:
        raise UsageError("--store says where to run a form: give --execute as well")
    load_named_domain(options)
    parser = Parser.from_pretrained(options.model, **policy(options))
    parser.skip_steps = skipped_finishing_steps(parser.domain, options)
    runner = _runner(parser.domain, options) if options.execute else None
    failures = []
    for line in [TextLine(1, options.sentence)] if is_one else _typed(options, parser):
        reason = (
            _unread(line, output_format)
            if line.error
            else _answer(parser(line.text, options.nbest), runner, output_format)
        )
        if reason is not None:
            failures.append(reason)
            if not is_one and output_format == "text":
                write(reason)  # in its place among the answers
    if failures:
        raise DataError(failures[0] if is_one else f"sentences without an answer: {len(failures)}")


def _answer(parse: "Parse", runner: Run | None, output_format: str) -> str | None:
    """Print the answers to a sentence; the reason if there is none, or if it cannot be run."""
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
    """What runs forms; facts are opened for the first one, whose parse is shown if they cannot."""

    @cache
    def execute_or_error() -> Execute | LearError:
        try:
            return open_store(domain, options.store, options.data)
        except LearError as error:
            return error

    def run_it(form: str) -> dict[str, object]:
        execute = execute_or_error()
        if isinstance(execute, LearError):
            return {"error": str(execute)}
        try:
            return run_form(domain, execute, form)
        except FormError as error:
            return {"error": str(error)}

    return run_it


def _unread(line: TextLine, output_format: str) -> str:
    """Print that a line cannot be read; the reason."""
    reason = f"{STDIN}:{line.number}: {line.error}"
    if output_format == "json":
        write_json({"text": line.text, "form": None, "reason": reason})
    return f"no answer: {reason}"


def _typed(options: Namespace, parser: "Parser") -> Iterator[TextLine]:
    """The lines of standard input; whoever types them is asked for them."""
    if sys.stdin is None:
        raise DataError("standard input is closed")
    is_asking = options.sentence is None and sys.stdin.isatty()
    if is_asking:
        note(f"{_about(parser)}: a sentence a line; an empty line, or the end of input, ends")
    lines = text_lines(sys.stdin.buffer)
    while True:
        if is_asking:
            sys.stderr.write("> ")
            sys.stderr.flush()
        line = next(lines, None)
        if line is None or (is_asking and not line.error and not line.text.strip()):
            return
        yield line


def _about(parser: "Parser") -> str:
    """What answers, in plain words."""
    unknown = "overlooked" if parser.unknown_words == "overlook" else "refused"
    return f"a parser of {parser.domain.name}; unknown words are {unknown}"
