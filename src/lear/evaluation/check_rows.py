"""What is wrong with rows by themselves: forms that cannot be read, or not printed, or two of them.

Nothing is searched here, so that it is quick on any number of rows.
"""

from collections.abc import Iterable, Iterator, Sequence

from lear.core.algebra import MeaningTable
from lear.domain.domain import Domain
from lear.domain.example import Example
from lear.errors import AlgebraError, DomainError, FormError
from lear.evaluation.findings import Finding

MAX_SHOWN = 60
"""Characters of a form in a message."""


def check_forms(
    domain: Domain, rows: Iterable[Example], readable: list[Example]
) -> Iterator[Finding]:
    """Read and print every form; rows whose forms are fine are appended to `readable`."""
    for row in rows:
        table = MeaningTable(domain.language.algebra)
        try:
            meaning = domain.language.read(row.form, row.tokens, table)
        except (FormError, AlgebraError, DomainError) as error:
            yield Finding("unreadable", str(error), row.source)
            continue
        except RecursionError:
            yield Finding("unreadable", "nested too deeply", row.source)
            continue
        readable.append(row)
        try:
            printed = domain.language.render(meaning)
            if printed != row.form:
                again = domain.language.read(printed, row.tokens, table)
                kind = "spelt" if again is meaning else "altered"
                yield Finding(
                    kind, f"{shortened(row.form)} prints {shortened(printed)}", row.source
                )
        except (FormError, AlgebraError, DomainError) as error:
            yield Finding("altered", str(error), row.source)


def contradictions(rows: Sequence[Example]) -> Iterator[Finding]:
    """The rows whose utterance has another form in an earlier row."""
    first: dict[tuple[str, ...], Example] = {}
    for row in rows:
        earlier = first.setdefault(row.tokens, row)
        if earlier.form != row.form:
            forms = f"{shortened(row.form)}, but in {earlier.source} {shortened(earlier.form)}"
            yield Finding("contradictory", f"{row.sentence!r} is {forms}", row.source)


def shortened(text: str) -> str:
    """A form, or its beginning."""
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
