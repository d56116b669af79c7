"""The list of domains, and names of benchmarks to values."""

from lear.domain import Benchmark, Domain
from lear.domains.cogs.domain import COGS
from lear.domains.toy.domain import TOY
from lear.errors import UsageError
from lear.suggestion import did_you_mean

DOMAINS = {domain.name: domain for domain in (TOY, COGS)}


def find_domain(name: str) -> Domain:
    """The domain of this name."""
    if name not in DOMAINS:
        raise UsageError(f"unknown domain {name!r}{did_you_mean(name, DOMAINS)}")
    return DOMAINS[name]


def find_benchmark(name: str) -> tuple[Domain, Benchmark]:
    """`cogs/gen` by its full name, or the first benchmark of a domain by the domain's name."""
    known = {b.name: (d, b) for d in DOMAINS.values() for b in d.benchmarks}
    if name in known:
        return known[name]
    if name in DOMAINS:
        return DOMAINS[name], DOMAINS[name].benchmarks[0]
    raise UsageError(f"unknown benchmark {name!r}{did_you_mean(name, [*known, *DOMAINS])}")
