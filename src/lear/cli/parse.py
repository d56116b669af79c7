"""`lear parse`: one sentence, its form and its derivation."""

from argparse import Namespace

import msgspec

from lear.cli.arguments import CommandParser, one_of, positive
from lear.cli.output import write, write_json
from lear.cli.stores import add_store_option, executor
from lear.errors import DataError, UsageError

EXAMPLES = """  lear parse cogs "A rose was helped by a dog ."
  lear parse cogs "Emma gave the girl a cake ." --nbest 3
  lear parse cfq "Did M0 direct M1" --execute
  lear parse runs/toy "Tom teaches John 's daughter" --format svg > tree.svg"""

FORMATS = ("text", "json", "svg")


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", metavar="MODEL", help="a run's folder, or a shipped model's name")
    parser.add_argument("sentence", metavar="SENTENCE", help="the sentence, in quotes")
    parser.add_argument("--nbest", type=positive, default=1, metavar="K", help="the K best answers")
    parser.add_argument("--format", default="text", help="text (default), json or svg")
    parser.add_argument("--execute", action="store_true", help="run the form and print its answer")
    add_store_option(parser)


def run(options: Namespace) -> None:
    """Print the best answers."""
    from lear.parser import Parser
    from lear.rendering import as_svg, as_text

    form = one_of(options.format, FORMATS, "format")
    if form == "svg" and (options.nbest > 1 or options.execute):
        raise UsageError("--format svg draws one derivation; leave out --nbest and --execute")
    if not options.sentence.split():
        raise UsageError("the sentence is empty")
    if options.store is not None and not options.execute:
        raise UsageError("--store says where to run a form: give --execute as well")
    parser = Parser.from_pretrained(options.model)
    execute = executor(parser.domain, options.store) if options.execute else None
    parse = parser(options.sentence, options.nbest)
    if parse.form is None:
        raise DataError(f"no answer: {parse.reason}")
    for answer in parse.nbest or (parse,):
        assert answer.derivation is not None  # an answer with a form has one
        result = {} if execute is None else {"answer": execute(answer.form or "")}
        if form == "json":
            write_json(answer.to_dict() | result)
        elif form == "svg":
            write(as_svg(answer.derivation, answer.tokens).rstrip())
        else:
            write(f"{as_text(answer.derivation, answer.tokens)}\n=> {answer.form}")
            for value in result.values():
                write(f"answer: {msgspec.json.encode(value).decode()}")
