"""All domains: those that ship, those of installed packages, and those registered in Python."""

import re
from importlib.metadata import EntryPoint, entry_points

from lear.domain.domain import Domain
from lear.domain.example import Benchmark
from lear.domains.cfq.domain import CFQ
from lear.domains.cogs.domain import COGS
from lear.domains.geo.domain import GEO
from lear.domains.toy.domain import TOY
from lear.errors import DataError, LearError, UsageError
from lear.messages.notes import note
from lear.messages.suggestions import did_you_mean

ENTRY_POINTS = "lear.domains"
"""The entry point group in which a package lists its domains: `NAME = "module:VALUE"`."""

_FOLDER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""What may follow a domain's name where any folder is a benchmark: a name, not a path."""

_registered: dict[str, Domain] = {domain.name: domain for domain in (TOY, COGS, CFQ, GEO)}


def register(domain: Domain) -> None:
    """Add a domain, for this process."""
    if _registered.get(domain.name, domain) is not domain:
        raise UsageError(f"there is another domain {domain.name!r}")
    if not domain.corpus.benchmarks:
        raise UsageError(f"domain {domain.name!r} has no benchmark")
    _registered[domain.name] = domain


def loaded_domains() -> dict[str, Domain]:
    """Name -> domain, for those that ship and those registered or used so far."""
    return dict(_registered)


def all_domains() -> dict[str, Domain]:
    """Name -> domain, for all of them; one that cannot be loaded is left out with a note."""
    for name, entry_point in _offered().items():
        if name not in _registered:
            try:
                _load(entry_point)
            except LearError as error:
                note(str(error))
    return loaded_domains()


def find_domain(name: str) -> Domain:
    """The domain of this name, loaded if need be."""
    offered = _offered()
    if name not in _registered:
        if name not in offered:
            hint = did_you_mean(name, (*_registered, *offered))
            raise UsageError(f"unknown domain {name!r}{hint}")
        _load(offered[name])
    return _registered[name]


def find_benchmark(name: str) -> tuple[Domain, Benchmark]:
    """The benchmark of a full name (`cogs/gen`); the name of a domain means its first benchmark."""
    owner = name.split("/")[0]
    if owner in _registered or owner in _offered():
        domain = find_domain(owner)
        if name == owner:
            return domain, domain.corpus.benchmarks[0]
        for benchmark in domain.corpus.benchmarks:
            if benchmark.name == name:
                return domain, benchmark
        if domain.corpus.benchmark_named is not None and _FOLDER.fullmatch(
            name.removeprefix(f"{owner}/")
        ):
            return domain, domain.corpus.benchmark_named(name)
    names = [*_registered, *(b.name for d in _registered.values() for b in d.corpus.benchmarks)]
    raise UsageError(f"unknown benchmark {name!r}{did_you_mean(name, names)}")


def _offered() -> dict[str, EntryPoint]:
    return {entry_point.name: entry_point for entry_point in entry_points(group=ENTRY_POINTS)}


def _load(entry_point: EntryPoint) -> None:
    """Register the domain of a package; any failure of its code is a one-line error."""
    try:
        domain = entry_point.load()
    except (Exception, SystemExit) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(f"domain {entry_point.value}: cannot be loaded: {reason}") from error
    if not isinstance(domain, Domain) or domain.name != entry_point.name:
        raise DataError(f"{entry_point.value}: not a domain named {entry_point.name!r}")
    register(domain)
