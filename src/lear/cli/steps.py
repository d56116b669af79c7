"""Leaving out post-processing, to see what it does."""

from argparse import Namespace

from lear.cli.arguments import CommandParser, one_of
from lear.domain import Domain
from lear.errors import UsageError


def add_steps_option(parser: CommandParser) -> None:
    """Declare which steps are to be left out."""
    parser.add_argument(
        "--skip-step",
        action="append",
        default=[],
        metavar="STEP",
        help="leave out a step of post-processing; of geo: fill_all, raise_most",
    )


def chosen_steps(domain: Domain, options: Namespace) -> tuple[str, ...]:
    """The steps that are left out."""
    if options.skip_step and not domain.steps:
        raise UsageError(f"domain {domain.name!r} has no post-processing")
    return tuple(one_of(step, tuple(domain.steps), "step") for step in options.skip_step)
