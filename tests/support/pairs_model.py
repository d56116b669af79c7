"""A small model of a language worked out from pairs, with names, numbers and times."""

from pathlib import Path

from lear.domains.terms.domain import TERMS
from lear.learning.config import find_recipe, load_config
from lear.learning.run import train
from lear.learning.run_folder import RunFolder
from lear.parser import Parser
from tests.support.pair_languages import languages
from tests.support.pairs import rows_by_part

PAIRS_SENTENCES = (
    "please schedule lunch with Ann about sales",
    "cancel the meeting on monday at nine pm",
    "move the call with Bob and Eve to friday",
    "book a review in the blue room at 11 am with Zoltan",
)


def train_on_pairs(folder: Path) -> Parser:
    """Train on what people say to their calendar; the run is kept in the folder."""
    small = {"model.members": "1", "model.hidden": "16", "curriculum": "[{epochs = 3}]"}
    settings = load_config(
        find_recipe("terms", "best", TERMS.recipes),
        {"benchmark": '"calendar.csv"', "language": '"types"', **small},
    )
    rows = rows_by_part(languages()["calendar"])
    return train(settings, TERMS, {**rows, "dev": rows["dev"][:5]}, RunFolder(folder))
