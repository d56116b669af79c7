"""Scripts that complete `lear` in a shell; all words are in them: no Python has to start."""

import shlex
from collections.abc import Sequence

from lear.cli.completions import Completions, Option, Values

MAX_SUMMARY = 80
"""Characters of an option's help that a list of completions has room for."""
MAX_PLACES = 99
"""How often an argument that may be repeated is completed in fish."""


def bash_script(commands: Sequence[Completions]) -> str:
    """A completion function for bash, from version 3.2 on, without other packages."""
    lines = [
        "# Completion of lear for bash, made by `lear completion bash`.",
        "_lear_words() {  # words; completes what begins like the word at the cursor",
        '  COMPREPLY+=( $(compgen -W "$1" -- "$current") )',
        "}",
        "_lear_paths() {  # -f: files and folders, -d: folders only",
        "  local IFS=$'\\n'",
        '  COMPREPLY+=( $(compgen "$1" -- "$current") )',
        "  compopt -o filenames 2>/dev/null",
        "}",
        "_lear() {",
        '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
        '  local command="${COMP_WORDS[1]}" with_value="" options="" place=1 index',
        "  COMPREPLY=()",
        "  # Bash takes --key=value for three words.",
        '  if [ "$current" = "=" ]; then current=""',
        '  elif [ "$previous" = "=" ]; then previous="${COMP_WORDS[COMP_CWORD-2]}"; fi',
        '  if [ "$COMP_CWORD" -eq 1 ]; then',
        f"    _lear_words {_quoted([c.command for c in commands] + ['--help', '--version'])}",
        "    return",
        "  fi",
        '  case "$command" in',
        *(f"    {c.command}) {_bash_options(c)} ;;" for c in commands),
        "    *) return ;;",
        "  esac",
        '  case "$command $previous" in',
        *_bash_option_values(commands),
        "  esac",
        '  if [ "${current:0:1}" = "-" ]; then _lear_words "$options"; return; fi',
        "  for (( index = 2; index < COMP_CWORD; index++ )); do",
        '    case " $with_value " in *" ${COMP_WORDS[index]} "*)',
        '      if [ "${COMP_WORDS[index + 1]}" = "=" ]; then (( index++ )); fi',
        "      (( index++ ))",
        "      continue ;;",
        "    esac",
        '    if [ "${COMP_WORDS[index]:0:1}" != "-" ]; then (( place++ )); fi',
        "  done",
        '  case "$command $place" in',
        *_bash_places(commands),
        "  esac",
        "}",
        "complete -F _lear lear",
    ]
    return "\n".join(lines)


def _bash_options(command: Completions) -> str:
    every = [option.flag for option in command.options]
    with_value = [option.flag for option in command.options if option.values is not None]
    return f"options={_quoted(every)} with_value={_quoted(with_value)}"


def _bash_option_values(commands: Sequence[Completions]) -> list[str]:
    return [
        f'    "{command.command} {option.flag}") {_bash_values(option.values)}return ;;'
        for command in commands
        for option in command.options
        if option.values is not None
    ]


def _bash_places(commands: Sequence[Completions]) -> list[str]:
    lines = []
    for command in commands:
        for number, values in enumerate(command.places, start=1):
            is_last = number == len(command.places)
            place = "*" if command.repeats and is_last else str(number)
            if shown := _bash_values(values):
                lines.append(f'    "{command.command} "{place}) {shown};;')
    return lines


def _bash_values(values: Values) -> str:
    words = f"_lear_words {_quoted(values.words)}; " if values.words else ""
    flag = {"none": "", "files": "-f", "folders": "-d"}[values.paths]
    return words + (f"_lear_paths {flag}; " if flag else "")


def zsh_script(commands: Sequence[Completions]) -> str:
    """A completion function for zsh: for a folder of `fpath`, or to be sourced."""
    lines = [
        "#compdef lear",
        "# Completion of lear for zsh, made by `lear completion zsh`.",
        "_lear() {",
        "  local -a commands",
        "  commands=(",
        *(f"    {shlex.quote(f'{c.command}:{c.summary}')}" for c in commands),
        "  )",
        "  if (( CURRENT == 2 )); then",
        "    _describe -t commands command commands",
        "    compadd -- --help --version",
        "    return",
        "  fi",
        "  shift words",
        "  (( CURRENT-- ))",
        '  case "$words[1]" in',
        *(line for command in commands for line in _zsh_command(command)),
        "  esac",
        "}",
        'if [ "$funcstack[1]" = _lear ]; then _lear "$@"; else compdef _lear lear; fi',
    ]
    return "\n".join(lines)


def _zsh_command(command: Completions) -> list[str]:
    specifications = [_zsh_option(option) for option in command.options]
    for number, values in enumerate(command.places, start=1):
        is_last = number == len(command.places)
        place = "*" if command.repeats and is_last else str(number)
        specifications.append(f"{place}:argument:{_zsh_values(values)}")
    quoted = " \\\n        ".join(shlex.quote(text) for text in specifications)
    return [f"    {command.command})", f"      _arguments -S \\\n        {quoted}", "      ;;"]


def _zsh_option(option: Option) -> str:
    summary = _short(option.summary).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    if option.values is None:
        return f"{option.flag}[{summary}]"
    return f"*{option.flag}=[{summary}]:value:{_zsh_values(option.values)}"


def _zsh_values(values: Values) -> str:
    words = " ".join(word.replace(" ", "\\ ") for word in values.words)
    paths = {"none": "", "files": "_files", "folders": "_files -/"}[values.paths]
    if words and paths:
        return f"{{compadd -- {words}; {paths}}}"
    return f"({words})" if words else paths or " "


def fish_script(commands: Sequence[Completions]) -> str:
    """Completions for fish."""
    lines = [
        "# Completion of lear for fish, made by `lear completion fish`.",
        "function __lear_first  # whether there is no command yet",
        "    test (count (commandline -opc)) -eq 1",
        "end",
        "function __lear_is  # whether the command is this one",
        "    set -l words (commandline -opc)",
        "    test (count $words) -ge 2; and test $words[2] = $argv[1]",
        "end",
        "function __lear_at  # command, first and last place, options that take a value",
        "    __lear_is $argv[1]; or return 1",
        "    set -l words (commandline -opc)",
        "    set -l place 1",
        "    set -l is_value 0",
        "    for word in $words[3..-1]",
        "        if test $is_value = 1",
        "            set is_value 0",
        "        else if contains -- $word $argv[4..-1]",
        "            set is_value 1",
        "        else if not string match -q -- '-*' $word",
        "            set place (math $place + 1)",
        "        end",
        "    end",
        "    test $place -ge $argv[2]; and test $place -le $argv[3]",
        "end",
        "complete -c lear -f",
        "complete -c lear -n __lear_first -l help -d 'print an overview'",
        "complete -c lear -n __lear_first -l version -d 'print the version'",
    ]
    for command in commands:
        name, summary = command.command, shlex.quote(command.summary)
        lines.append(f"complete -c lear -n __lear_first -a {name} -d {summary}")
        lines += [_fish_option(name, option) for option in command.options]
        lines += _fish_places(command)
    return "\n".join(lines)


def _fish_option(command: str, option: Option) -> str:
    condition = shlex.quote(f"__lear_is {command}")
    summary = shlex.quote(_short(option.summary))
    start = f"complete -c lear -n {condition} -l {option.flag.removeprefix('--')} -d {summary}"
    return start if option.values is None else f"{start} -r {_fish_values(option.values)}"


def _fish_places(command: Completions) -> list[str]:
    with_value = [option.flag for option in command.options if option.values is not None]
    lines = []
    for number, values in enumerate(command.places, start=1):
        is_last = number == len(command.places)
        last = MAX_PLACES if command.repeats and is_last else number
        condition = " ".join(("__lear_at", command.command, str(number), str(last), *with_value))
        lines.append(f"complete -c lear -n {shlex.quote(condition)} {_fish_values(values)}")
    return lines


def _fish_values(values: Values) -> str:
    words = list(values.words)
    if values.paths == "folders":
        words.append("(__fish_complete_directories)")
    files = "-F" if values.paths == "files" else "-f"
    return f"{files} -a {shlex.quote(' '.join(words))}" if words else files


def _quoted(words: Sequence[str]) -> str:
    return shlex.quote(" ".join(words))


def _short(summary: str) -> str:
    """The beginning of a help text."""
    return summary if len(summary) <= MAX_SUMMARY else f"{summary[: MAX_SUMMARY - 3]}..."


SCRIPTS = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
"""Shell -> what makes its script."""
