"""Free questions to GEO: how many are answered right, and what is answered that should be refused.

The questions were written by somebody who knew what may be asked, and neither lexicon nor parser.
Half of them (`tune`) were looked at while everyday words were chosen, the others (`check`) not.
`make free-questions` prints the counts.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import msgspec

import lear
from lear.errors import FormError
from lear.storage.datasets import DataFolder

FILE = Path(__file__).parent.parent / "domains/geo/free_questions.jsonl"
UNSURE = 0.5
"""An answer below this probability is marked as one not to be trusted."""


class FreeQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """A question with a program that gives its answer; without one if it must be refused."""

    id: str
    question: str
    form: str | None
    part: str
    why: str = ""


class Count(NamedTuple):
    """What became of the questions of one part."""

    answerable: int
    right: int
    wrong_unmarked: int
    """Wrong, sure, and with nothing to tell about their words."""
    wrong_marked: int
    refused: int
    to_refuse: int
    answered: int
    """Of those that must be refused."""


def read_questions(part: str) -> list[FreeQuestion]:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    questions = [msgspec.json.decode(line, type=FreeQuestion) for line in lines]
    return [question for question in questions if question.part == part]


def count(parser: lear.Parser, part: str) -> Count:
    """Ask all questions of a part; an answer is right if its program gives the right answer."""
    execution = parser.domain.execution
    assert execution is not None
    execute = execution.open_store(None, DataFolder.choose(None).find)

    def outcome(question: FreeQuestion) -> str:
        parse = parser(question.question)
        if question.form is None:
            return "to refuse, refused" if parse.form is None else "to refuse, answered"
        if parse.form is None:
            return "refused"
        try:
            is_right = execute(parse.form) == execute(question.form)
        except FormError:
            is_right = False
        is_marked = bool(parse.notes) or (parse.probability or 0.0) < UNSURE
        return "right" if is_right else f"wrong, {'marked' if is_marked else 'unmarked'}"

    counts = Counter(map(outcome, read_questions(part)))
    to_refuse = counts["to refuse, refused"] + counts["to refuse, answered"]
    return Count(
        counts.total() - to_refuse,
        counts["right"],
        counts["wrong, unmarked"],
        counts["wrong, marked"],
        counts["refused"],
        to_refuse,
        counts["to refuse, answered"],
    )


def main() -> None:
    parser = lear.Parser.from_pretrained("geo")
    for part in ("tune", "check"):
        print(part, count(parser, part))  # noqa: T201


if __name__ == "__main__":
    main()
