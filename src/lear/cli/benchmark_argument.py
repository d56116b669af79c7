"""What an argument that names a domain or a benchmark means: a name, or a file.

`cogs` and `cogs/gen` are names. `my_domain.py` is a file with a domain, `my_domain.py:NAME` one of
several in it, and `/SPLIT` after either is one of its benchmarks. Naming a Python file runs it.
`pairs.csv` (also .tsv, .jsonl) is a file of pairs: a language of terms, worked out from it.
"""

import re
from collections.abc import Callable
from pathlib import Path

from lear.domain.domain import Domain
from lear.domain.example import Benchmark
from lear.domain.pairs import SUFFIXES
from lear.domains import registry
from lear.domains.domain_file import load_domain
from lear.errors import UsageError

_FILE = re.compile(r"(?P<path>.+\.(?P<suffix>py))(?::(?P<name>\w+))?(?:/(?P<split>[^/]+))?")
"""A file by a suffix that lear has a use for, what of it is meant, and one of its benchmarks."""
_OPENED_BY: dict[str, Callable[[str, str | None], Domain]] = {"py": load_domain}
"""Suffix of a file -> what makes a domain of it: a path, and a name in the file."""


def find_domain(argument: str) -> Domain:
    """The domain that an argument means."""
    if is_pairs_file(argument):
        return _domain_of_pairs(argument)
    return _domain_in_file(argument) or registry.find_domain(argument)


def find_benchmark(argument: str) -> tuple[Domain, Benchmark]:
    """The benchmark that an argument means; a domain means its first one."""
    if is_pairs_file(argument):
        domain_of_pairs = _domain_of_pairs(argument)
        return domain_of_pairs, domain_of_pairs.corpus.benchmarks[0]
    domain = _domain_in_file(argument)
    if domain is None:
        return registry.find_benchmark(argument)
    split = _split_of(argument)
    return registry.find_benchmark(domain.name if split is None else f"{domain.name}/{split}")


def is_pairs_file(argument: str) -> bool:
    """Whether an argument names a file of pairs."""
    return Path(argument).suffix in SUFFIXES


def _domain_of_pairs(argument: str) -> Domain:
    # Every command would pay for this import, and few are given pairs.
    from lear.domains.terms.domain import pairs_domain

    path = Path(argument)
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    return pairs_domain(path)


def file_of(argument: str) -> str | None:
    """The file that an argument means, with the name in it but without the benchmark."""
    found = _FILE.fullmatch(argument)
    if found is None:
        return None
    return found["path"] if found["name"] is None else f"{found['path']}:{found['name']}"


def _domain_in_file(argument: str) -> Domain | None:
    found = _FILE.fullmatch(argument)
    return None if found is None else _OPENED_BY[found["suffix"]](found["path"], found["name"])


def _split_of(argument: str) -> str | None:
    found = _FILE.fullmatch(argument)
    return None if found is None else found["split"]
