"""A small model of the toy language, trained in a second."""

from pathlib import Path

from lear.domains.toy import TOY
from lear.learning.run import train
from lear.learning.run_folder import RunFolder
from lear.parser import Parser
from tests.support.runs import config
from tests.support.toy_rows import DEV, TRAIN

TOY_SENTENCES = tuple(row.sentence for row in DEV[:8])


def train_toy(folder: Path) -> Parser:
    """Train on a part of the toy language; the run is kept in the folder."""
    settings = config(curriculum="[{epochs = 2}]", model__hidden="8")
    return train(settings, TOY, {"train": TRAIN[:100], "dev": DEV[:5]}, RunFolder(folder))
