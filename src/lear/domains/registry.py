"""The domains: those that ship, those that installed packages offer, those registered in Python."""

from importlib.metadata import entry_points

from lear.domain import Benchmark, Domain
from lear.domains.cogs.domain import COGS
from lear.domains.toy.domain import TOY
from lear.errors import DataError, UsageError
from lear.suggestion import did_you_mean

ENTRY_POINTS = "lear.domains"
"""The group in which a package names its domains: `NAME = "module:VALUE"`."""

_registered: dict[str, Domain] = {domain.name: domain for domain in (TOY, COGS)}


def register(domain: Domain) -> None:
    """Make a domain known by its name, in this process."""
    if _registered.get(domain.name, domain) is not domain:
        raise UsageError(f"there is another domain {domain.name!r}")
    _registered[domain.name] = domain


def all_domains() -> dict[str, Domain]:
    """Every domain by its name."""
    for entry_point in entry_points(group=ENTRY_POINTS):
        if entry_point.name not in _registered:
            try:
                domain = entry_point.load()
            except Exception as error:  # whatever a foreign module does wrong
                raise DataError(f"domain {entry_point.value}: cannot be loaded: {error}") from error
            if not isinstance(domain, Domain) or domain.name != entry_point.name:
                raise DataError(f"{entry_point.value}: not a domain named {entry_point.name!r}")
            register(domain)
    return dict(_registered)


def find_domain(name: str) -> Domain:
    """The domain of this name."""
    known = all_domains()
    if name not in known:
        raise UsageError(f"unknown domain {name!r}{did_you_mean(name, known)}")
    return known[name]


def find_benchmark(name: str) -> tuple[Domain, Benchmark]:
    """`cogs/gen` by its full name, or the first benchmark of a domain by the domain's name."""
    domains = all_domains()
    known = {b.name: (d, b) for d in domains.values() for b in d.benchmarks}
    if name in known:
        return known[name]
    if name in domains:
        return domains[name], domains[name].benchmarks[0]
    raise UsageError(f"unknown benchmark {name!r}{did_you_mean(name, [*known, *domains])}")
