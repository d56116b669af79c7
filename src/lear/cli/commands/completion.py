"""`lear completion`: print a script that completes commands, options and names in a shell."""

from argparse import Namespace

from lear.cli.arguments import CommandParser, one_of
from lear.cli.output import write

EXAMPLES = """  lear completion bash > ~/.local/share/bash-completion/completions/lear
  lear completion zsh > ~/.zfunc/_lear
  lear completion fish > ~/.config/fish/completions/lear.fish
  source <(lear completion bash)"""

SHELLS = ("bash", "zsh", "fish")


def configure(parser: CommandParser) -> None:
    """Declare the argument."""
    parser.add_argument("shell", metavar="|".join(SHELLS), help="the shell to complete in")


def run(options: Namespace) -> None:
    """Print the script."""
    from lear.cli.completion_scripts import SCRIPTS
    from lear.cli.completions import all_completions

    shell = one_of(options.shell, SHELLS, "shell")
    write(SCRIPTS[shell](all_completions()))
