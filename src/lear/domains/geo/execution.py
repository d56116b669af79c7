"""Executing programs on the facts that ship, or on a user's file in Geobase's format."""

from collections.abc import Callable
from pathlib import Path

from lear.domain.domain import AnswerCheck
from lear.domain.example import FindFile
from lear.domains.geo.corpus import ANSWERS
from lear.domains.geo.fact_tables import shipped_facts
from lear.domains.geo.facts import read_facts
from lear.domains.geo.function_chain import chain_of
from lear.domains.geo.gold_answers import find_misses, read_gold
from lear.domains.geo.interpreter import Answer, Interpreter
from lear.domains.geo.program import Program, read_program
from lear.domains.geo.type_check import check


def open_store(path: Path | None, find: FindFile) -> Callable[[str], Answer]:
    """A function that executes programs on a file of facts, or on the facts that ship.

    Args:
        path: A file of facts in Geobase's format.
        find: Not used: the facts that ship are not in the data folder.
    """
    del find
    run = _runner(path)
    return lambda form: run(read_program(form))


def check_answers(path: Path | None, find: FindFile) -> AnswerCheck:
    """Execute the programs of all questions with gold answers, and compare."""
    rows = read_gold(find(ANSWERS))
    misses = find_misses(_runner(path), rows)
    return AnswerCheck(
        len(rows),
        [
            {
                "question": miss.gold.question,
                "form": str(miss.gold.program),
                "gold": miss.gold.answer,
                "answer": miss.answer,
                "cause": miss.cause,
            }
            for miss in misses
        ],
    )


def _runner(path: Path | None) -> Callable[[Program], Answer]:
    interpreter = Interpreter(shipped_facts() if path is None else read_facts(path))

    def run(program: Program) -> Answer:
        check(chain_of(program))
        return interpreter.run(program)

    return run
