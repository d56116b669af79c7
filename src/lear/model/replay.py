"""From what rollouts did to derivations."""

from collections.abc import Sequence

from lear.decoding import Instruction, Program
from lear.grammar import CategoryLeaf, Reading
from lear.model.cells import NONE, Machine
from lear.model.policy import Record

Step = tuple[int, int, int]
"""Place of a merge, its site, and the number of the option that was taken."""


def steps_of(record: Record) -> list[tuple[Step, ...]]:
    """The merges of each row, in order."""
    steps: list[list[Step]] = [[] for _ in record.final]
    for (rows, _, places, _), (_, sites, options) in zip(
        record.merges, record.outcomes, strict=True
    ):
        columns = (rows.tolist(), places.tolist(), sites.tolist(), options.tolist())
        for row, place, site, option in zip(*columns, strict=True):
            steps[row].append((place, site, option))
    return [tuple(row) for row in steps]


def program_of(machine: Machine, reading: Reading, steps: Sequence[Step], score: float) -> Program:
    """The derivation of a finished rollout."""
    leaves = {(leaf.begin, leaf.end): leaf for leaf in reading.skeleton.leaves}
    names = machine.operation_names
    # Each cell: where it begins and ends, and the instructions of the constituents inside.
    cells: list[tuple[int, int, list[list[Instruction]]]] = [
        (place, place + 1, _lexical(leaves.get((place, place + 1))))
        for place in range(len(reading.tokens))
    ]
    for place, site, number in steps:
        option = machine.sites[site].options[number]
        (begin, _, left), (_, end, right) = cells[place], cells[place + 1]
        inside = left + right
        if option.operation != NONE:
            instruction = (names[option.operation], len(inside), begin, end)
            inside = [[*(i for part in inside for i in part), instruction]]
        elif option.symbol > 0:
            inside = _lexical(leaves.get((begin, end)))
        cells[place : place + 2] = [(begin, end, inside)]
    (_, _, (instructions,)), *_ = cells
    return Program(score, tuple(instructions))


def _lexical(leaf: CategoryLeaf | None) -> list[list[Instruction]]:
    return [] if leaf is None else [[leaf]]
