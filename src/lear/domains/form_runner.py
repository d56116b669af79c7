"""Running the forms of a domain by its name alone, so that an answer can do it in any process."""

from dataclasses import dataclass
from functools import cache

from lear.domain.domain import Execute, Execution
from lear.domains.registry import find_domain
from lear.storage.data_folder import DataFolder


@dataclass(frozen=True)
class FormRunner:
    """Runs the forms of a domain on the facts that it has."""

    domain: str

    def run(self, form: str) -> object:
        """What a form comes to; None where the domain has no facts."""
        execution = find_domain(self.domain).execution
        return None if execution is None else _facts_of(execution)(form)

    def unit(self, form: str) -> str | None:
        """The unit of that, in the plural; None if it has none."""
        execution = find_domain(self.domain).execution
        return None if execution is None else execution.unit(form)


@cache
def _facts_of(execution: Execution) -> Execute:
    """What runs forms on the facts of a domain: opened once in a process."""
    return execution.open_store(None, DataFolder.choose(None).find)
