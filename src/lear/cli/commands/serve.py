"""`lear serve`: parsing as a service, with a JSON API and a page."""

import os
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable

from lear.cli.arguments import CommandParser, add_domain_option, natural, positive
from lear.errors import UsageError
from lear.service.settings import MAX_WORKERS, RequestLimits, ServiceSettings, default_workers

EXAMPLES = """  lear serve                           # the models that ship, on http://127.0.0.1:8000/
  lear serve geo runs/home --port 0    # one that ships and one of a run, on a free port
  lear serve home=runs/home-2          # asked by another name
  LEAR_TOKEN=secret lear serve --host 0.0.0.0 --allow-host parser.example"""

TOKEN = "LEAR_TOKEN"
MAX_PORT = 65_535
MAX_SECONDS = 3600


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "models",
        nargs="*",
        metavar="MODEL",
        help="a shipped model's name, a run's folder, or NAME=FOLDER (default: all that ship)",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument(
        "--port",
        type=_at_most(MAX_PORT, natural),
        default=8000,
        metavar="N",
        help="0 takes a free one (default: 8000)",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name by which clients reach this service, beside addresses; can be repeated; * "
        "for any",
    )
    parser.add_argument(
        "--token", help=f"what clients of the API must send (default: {TOKEN}, if it is set)"
    )
    parser.add_argument(
        "--log-text", action="store_true", help="also log the sentences that clients send"
    )
    parser.add_argument(
        "--workers",
        type=_at_most(MAX_WORKERS, positive),
        metavar="N",
        help="processes for short requests (default: one a processor, two at least); half as many "
        "are for long ones",
    )
    usual = RequestLimits()
    for flag, metavar, default, what in (
        ("--max-seconds", "S", usual.seconds, "for one request"),
        ("--max-sending-seconds", "S", usual.sending_seconds, "for a client to send the body"),
        ("--max-texts", "N", usual.texts, "sentences in one request"),
        ("--max-tokens", "N", usual.tokens, "tokens of one sentence"),
        ("--max-body", "N", usual.body_bytes, "bytes in one request"),
    ):
        number_type = _seconds if metavar == "S" else positive
        help_text = f"{what} (default: {default:,.9g})"
        parser.add_argument(
            flag, type=number_type, default=default, metavar=metavar, help=help_text
        )
    add_domain_option(parser)


def run(options: Namespace) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    import uvicorn as uvicorn  # where it is missing, say so before anything is started

    from lear.service.server import serve

    token = options.token if options.token is not None else os.environ.get(TOKEN)
    if token is not None and not (token.isascii() and token.isprintable() and token.strip()):
        raise UsageError("a token is one or more printable ASCII characters")
    serve(
        ServiceSettings(
            models=tuple(options.models),
            domain_file=options.domain,
            host=options.host,
            port=options.port,
            allowed_hosts=tuple(options.allow_host),
            token=token,
            logs_text=options.log_text,
            workers=options.workers or default_workers(),
            limits=RequestLimits(
                body_bytes=options.max_body,
                texts=options.max_texts,
                tokens=options.max_tokens,
                seconds=options.max_seconds,
                sending_seconds=options.max_sending_seconds,
            ),
        )
    )


def _at_most(most: int, number_type: Callable[[str], int]) -> Callable[[str], int]:
    """Return the `type` of an option whose number has an upper bound."""

    def bounded(text: str) -> int:
        if number_type(text) > most:
            raise ArgumentTypeError(f"expected at most {most}, not {text!r}")
        return int(text)

    return bounded


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MAX_SECONDS:
        raise ArgumentTypeError(f"expected seconds, up to {MAX_SECONDS}, not {text!r}")
    return seconds
