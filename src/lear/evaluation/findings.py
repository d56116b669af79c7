"""What `lear check` can find wrong with a domain and its rows, and what to do about it."""

from typing import NamedTuple

import msgspec


class Kind(NamedTuple):
    """A sort of finding."""

    title: str
    """What is found, for the heading over its findings."""
    advice: str
    """What to do next."""
    is_serious: bool = True
    """Whether it must be mended before training."""
    pairs_advice: str = ""
    """What to do next where there is a file of pairs and no code; empty for the same."""


KINDS = {
    "missing": Kind("parts without rows", "give rows for training, and let some be dev rows"),
    "unreadable": Kind(
        "forms that cannot be read", "mend these forms, or `read`", pairs_advice="mend these forms"
    ),
    "failing": Kind("rows on which the domain's code fails", "mend the function that is named"),
    "altered": Kind(
        "forms that print with another meaning", "mend `render`: it must print what `read` reads"
    ),
    "contradictory": Kind(
        "utterances with two forms", "decide on one form: at most one of them can be learned"
    ),
    "promise": Kind(
        "categories that promise too much", "let `category` tell these two meanings apart"
    ),
    "unreached": Kind(
        "rows out of reach: no operations make their form of their words",
        "add what is missing: an operation, a primitive, or room for function words (`shape`)",
        pairs_advice="see what these rows have in common: words that occur once, or a form that is "
        "no function of its words (docs/from-pairs.md, When it will not work)",
    ),
    "rarely unreached": Kind(
        "rows out of reach: no operations make their form of their words",
        "see whether these few rows are worth an operation",
        is_serious=False,
    ),
    "blurred": Kind(
        "phrases that are of one kind, and yet do not fit everywhere alike",
        "nothing in the file: a few answers may be missed",
        is_serious=False,
    ),
    "unnamed": Kind(
        "symbols of forms that no word stands for and no operation brings",
        "list them among a row's primitives, or write an operation that brings them",
        is_serious=False,
    ),
    "spelt": Kind(
        "forms that print as another text with the same meaning",
        "nothing, if scores may ignore the difference",
        is_serious=False,
    ),
    "unused": Kind(
        "operations that no derivation uses", "leave them out, if rows have all", is_serious=False
    ),
    "unseen": Kind(
        "words that training never shows",
        "add training rows with them, or say what they may stand for (`unknown`)",
        is_serious=False,
    ),
    "silent": Kind(
        "words that stand for nothing by themselves",
        "if one of them should stand for something, see `lear lexicon`",
        is_serious=False,
    ),
    "types": Kind(
        "types that look wrong",
        "if one joins what should be apart, mend what `lear types` prints, and train with --types",
        is_serious=False,
    ),
    "few": Kind(
        "too little to learn from", "give more rows: 30 at least, better 100", is_serious=False
    ),
}
"""In the order in which they are told: what comes first may be the cause of what comes later."""


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong, or worth a look."""

    kind: str
    message: str
    source: str = ""
    """The row; empty where it is about the domain as a whole."""

    @property
    def is_serious(self) -> bool:
        """Whether it must be mended."""
        return KINDS[self.kind].is_serious

    def __str__(self) -> str:
        return f"{self.source}: {self.message}" if self.source else self.message
