"""Running forms on facts: those of a file, or those that a domain has."""

from pathlib import Path

from lear.domain.domain import Domain, Execute
from lear.errors import UsageError
from lear.storage.data_folder import DataFolder


def open_store(domain: Domain, store: str | None, data: str | None) -> Execute:
    """A function that executes forms; raise `UsageError` if the domain has no facts."""
    if domain.execution is None:
        raise UsageError(f"{domain.name} has no facts to run forms on")
    find = DataFolder.choose(data).find
    return domain.execution.open_store(None if store is None else Path(store), find)


def run_form(domain: Domain, execute: Execute, form: str) -> dict[str, object]:
    """What commands show of a form that is run: `answer`, and `unit` where its numbers have one.

    Raises `FormError` if it cannot be run. `execute` is what `open_store` gives for the domain.
    """
    assert domain.execution is not None  # open_store refuses other domains
    answer = execute(form)
    unit = domain.execution.unit(form)
    return {"answer": answer} if unit is None else {"answer": answer, "unit": unit}
