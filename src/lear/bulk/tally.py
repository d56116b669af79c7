"""How many rows were answered, and how many could not be read."""

import msgspec


class Tally(msgspec.Struct, frozen=True):
    """Counts of rows; however many there are, it stays small."""

    rows: int = 0
    bad: int = 0
    """Rows that could not be read."""
    first_bad: str = ""
    """What is wrong with the first of these."""

    def __add__(self, later: "Tally") -> "Tally":
        """The counts of both."""
        first_bad = self.first_bad or later.first_bad
        return Tally(self.rows + later.rows, self.bad + later.bad, first_bad)
