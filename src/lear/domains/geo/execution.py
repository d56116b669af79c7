"""Executing programs on the facts of Geobase, or on a user's file in the same format."""

from collections.abc import Callable
from pathlib import Path

from lear.domain.domain import AnswerCheck
from lear.domain.example import FindFile
from lear.domains.geo.corpus import ANSWERS, GEOBASE
from lear.domains.geo.facts import read_facts
from lear.domains.geo.function_chain import chain_of
from lear.domains.geo.gold_answers import find_misses, read_gold
from lear.domains.geo.interpreter import Answer, Interpreter
from lear.domains.geo.program import Program, read_program
from lear.domains.geo.type_check import check


def open_store(path: Path | None, find: FindFile) -> Callable[[str], Answer]:
    """A function that executes programs on a file of facts, or on Geobase in the data folder."""
    run = _runner(path, find)
    return lambda form: run(read_program(form))


def check_answers(path: Path | None, find: FindFile) -> AnswerCheck:
    """Execute the programs of all questions with gold answers, and compare."""
    rows = read_gold(find(ANSWERS))
    misses = find_misses(_runner(path, find), rows)
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


def _runner(path: Path | None, find: FindFile) -> Callable[[Program], Answer]:
    interpreter = Interpreter(read_facts(find(GEOBASE) if path is None else path))

    def run(program: Program) -> Answer:
        check(chain_of(program))
        return interpreter.run(program)

    return run
