"""All domains: those that ship, those of installed packages, and those registered in Python."""

import re
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from lear.domain.domain import Domain
from lear.domain.example import Benchmark
from lear.domain.guard import guarded
from lear.domain.soundness import require_sound
from lear.errors import DataError, LearError, UsageError
from lear.messages.notes import note
from lear.messages.suggestions import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "lear.domains"
"""The entry point group in which a package lists its domains: `NAME = "module:VALUE"`."""

_FOLDER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""What may follow a domain's name where any folder is a benchmark: a name, not a path."""

_SHIPPED_MODULES = {
    "toy": "lear.domains.toy.domain",
    "cogs": "lear.domains.cogs.domain",
    "slog": "lear.domains.slog.domain",
    "cfq": "lear.domains.cfq.domain",
    "geo": "lear.domains.geo.domain",
    "scan": "lear.domains.scan",
    "terms": "lear.domains.terms.domain",
}
SHIPPED = tuple(_SHIPPED_MODULES)
"""Domains that ship. Each is loaded when it is first asked for: a parser needs one of them."""
_registered: dict[str, Domain] = {}
_from_files: set[str] = set()


def register(domain: Domain) -> None:
    """Add a domain, for this process."""
    if domain.name in SHIPPED:
        _load_shipped(domain.name)
    if _registered.get(domain.name, domain) is not domain:
        raise UsageError(f"there is another domain {domain.name!r}")
    if not domain.corpus.benchmarks:
        raise UsageError(f"domain {domain.name!r} has no benchmark")
    _registered[domain.name] = domain


def register_from_file(domain: Domain) -> None:
    """Add a domain that was read from a file; a file that has changed may be read again."""
    if domain.name not in _from_files or domain.name not in _registered:
        if domain.name in {*SHIPPED, *_registered, *_offered()}:
            raise UsageError(f"there is another domain {domain.name!r}: choose another name")
        _from_files.add(domain.name)
    _registered[domain.name] = domain


def is_from_file(name: str) -> bool:
    """Whether a domain was read from a file, so that other processes do not know it."""
    return name in _from_files


def loaded_domains() -> dict[str, Domain]:
    """Name -> domain, for those that ship and those registered or used so far."""
    for name in SHIPPED:
        _load_shipped(name)
    others = {name: domain for name, domain in _registered.items() if name not in SHIPPED}
    return {name: _registered[name] for name in SHIPPED} | others


def _load_shipped(name: str) -> None:
    if name not in _registered:
        domain = getattr(import_module(_SHIPPED_MODULES[name]), name.upper())
        assert isinstance(domain, Domain)
        _registered[name] = domain


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
    if name in SHIPPED:
        _load_shipped(name)
    if name not in _registered:
        offered = _offered()
        if name not in offered:
            hint = did_you_mean(name, {*SHIPPED, *_registered, *offered})
            raise UsageError(f"unknown domain {name!r}{hint}")
        _load(offered[name])
    return _registered[name]


def domain_of_model(
    name: str, algebra: str, about: Mapping[str, object], language: object = None
) -> Domain:
    """The domain that a model says it is of; a model file may say anything, but runs nothing.

    Args:
        name: The domain's name.
        algebra: Which of its algebras.
        about: Where the model comes from, with `domain_file` if its domain was read from one.
        language: What was worked out from its training rows, if anything was.
    """
    try:
        domain = find_domain(name).with_algebra(algebra)
        return domain if domain.inference is None else domain.inference.restore(language)
    except UsageError as error:
        file = about.get("domain_file")
        if isinstance(file, str):
            raise UsageError(
                f"the model's domain {name!r} is in the file {file!r}, which is code and is not "
                "run unasked: give it as --domain FILE (in Python: "
                "lear.domains.domain_file.load_domain)"
            ) from None
        raise DataError(f"not a model to be used here: {error}") from None


def find_benchmark(name: str) -> tuple[Domain, Benchmark]:
    """The benchmark of a full name (`cogs/gen`); the name of a domain means its first benchmark."""
    owner = name.split("/")[0]
    if owner in SHIPPED or owner in _registered or owner in _offered():
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
    known = loaded_domains()
    names = [*known, *(b.name for d in known.values() for b in d.corpus.benchmarks)]
    raise UsageError(f"unknown benchmark {name!r}{did_you_mean(name, names)}")


def _offered() -> "dict[str, EntryPoint]":
    from importlib.metadata import entry_points  # slow to load, and seldom needed

    return {entry_point.name: entry_point for entry_point in entry_points(group=ENTRY_POINTS)}


def _load(entry_point: "EntryPoint") -> None:
    """Register the domain of a package; any failure of its code is a one-line error."""
    try:
        domain = entry_point.load()
    except (Exception, SystemExit) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(f"domain {entry_point.value}: cannot be loaded: {reason}") from error
    if not isinstance(domain, Domain) or domain.name != entry_point.name:
        raise DataError(f"{entry_point.value}: not a domain named {entry_point.name!r}")
    require_sound(domain)
    register(guarded(domain))
