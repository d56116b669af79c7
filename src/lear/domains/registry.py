"""All domains: those that ship, those of installed packages, and those of Python files.

A file such as `my_domain.py` is code, and loading it runs it. So it is loaded where somebody names
it, and nowhere else: a model only remembers the name of its file.
"""

import re
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import FrameType, ModuleType
from typing import TYPE_CHECKING

from lear.benchmark import Benchmark
from lear.domain import Domain, Execute, Execution
from lear.domains._guard import cause, guarded, last_line, require_sound
from lear.errors import DataError, DomainError, LearError, UsageError
from lear.messages import did_you_mean, note
from lear.storage.datasets import DataFolder

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "lear.domains"
"""The entry point group in which a package lists its domains: `NAME = "module:VALUE"`."""

_FOLDER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""What may follow a domain's name where any folder is a benchmark; it is no path."""

_SHIPPED_MODULES = {
    "toy": "lear.domains.toy",
    "cogs": "lear.domains.cogs.domain",
    "slog": "lear.domains.slog",
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


def is_from_file(name: str) -> bool:
    """Return whether a domain was read from a file, so that other processes do not know it."""
    return name in _from_files


def loaded_domains() -> dict[str, Domain]:
    """Return the domains by name that ship, and those registered or used so far."""
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
    """Return all domains by name; one that cannot be loaded is left out with a note."""
    for name, entry_point in _offered().items():
        if name not in _registered:
            try:
                _load(entry_point)
            except LearError as error:
                note(str(error))
    return loaded_domains()


def find_domain(name: str) -> Domain:
    """Return the domain of this name, loaded if need be."""
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
    """Return the domain that a model says it is of; a model may say anything, but runs nothing.

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
                "lear.domains.registry.load_domain)"
            ) from None
        raise DataError(f"not a model to be used here: {error}") from None


def find_benchmark(name: str) -> tuple[Domain, Benchmark]:
    """Return the benchmark of a full name (`cogs/gen`); a domain's name means its first one."""
    owner = name.split("/")[0]
    if owner in {*SHIPPED, *_registered} or owner in _offered():
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


@dataclass(frozen=True)
class FormRunner:
    """Runs the forms of a domain on its own facts, by its name alone: also in other processes."""

    domain: str

    def run(self, form: str) -> object:
        """Return what a form comes to; None where the domain has no facts."""
        execution = find_domain(self.domain).execution
        return None if execution is None else _facts_of(execution)(form)

    def unit(self, form: str) -> str | None:
        """Return the unit of that, in the plural; None if it has none."""
        execution = find_domain(self.domain).execution
        return None if execution is None else execution.unit(form)


@cache
def _facts_of(execution: Execution) -> Execute:
    """Open the facts of a domain, once in a process."""
    return execution.open_store(None, DataFolder.choose(None).find)


REPEAT_SECONDS = 1.0
"""Code that catches everything in a loop is told again after this."""


class TookTooLong(BaseException):
    """The end of a time limit: no `Exception`, so that `except Exception` does not swallow it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TookTooLong` in the block after so many seconds; only the main thread can."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(
        signal, "setitimer"
    ):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise TookTooLong(f"it did not end within {seconds:g} seconds")

    handler = signal.signal(signal.SIGALRM, stop)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, REPEAT_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left:  # a timer of somebody else goes on, if a bit late
            signal.setitimer(signal.ITIMER_REAL, left, interval)


MAX_SECONDS = 60.0
"""How long a file may run. A domain only says what there is; rows are loaded later."""
_loaded: dict[tuple[object, ...], Domain] = {}
"""File as it is now, and name in it -> the domain; a file is run once."""


def load_domain(path: str | Path, name: str | None = None) -> Domain:
    """Run a Python file, and register its domain: `find_domain` and models know it then.

    A file that has changed may be read again.

    Args:
        path: The file.
        name: The variable that holds the domain, where the file has several.
    """
    file = Path(path)
    if not file.is_file():
        raise UsageError(f"{path}: no such file")
    state = file.stat()
    key = (file.resolve(), state.st_mtime_ns, state.st_size, name)
    if key not in _loaded:
        domain = _domain_in(_run(file), file, name)
        try:
            require_sound(domain)
        except LearError as error:
            raise type(error)(f"{path}: {error}") from None
        _loaded[key] = guarded(domain)
    domain = _loaded[key]
    is_read_again = domain.name in _from_files and domain.name in _registered
    if not is_read_again and domain.name in {*SHIPPED, *_registered, *_offered()}:
        raise UsageError(f"{path}: there is another domain {domain.name!r}: choose another name")
    _from_files.add(domain.name)
    _registered[domain.name] = domain
    return domain


def _run(file: Path) -> ModuleType:
    """Return the module of a file; whatever goes wrong in it is one line."""
    spec = spec_from_file_location(f"lear_domain_file_{file.stem}", file)
    assert spec is not None  # as its name ends in .py
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # types are looked up there
    folder = str(file.resolve().parent)
    sys.path.insert(0, folder)  # what lies beside it can be imported, as by `python my_domain.py`
    try:
        with time_limit(MAX_SECONDS):
            spec.loader.exec_module(module)
    except TookTooLong as error:
        raise DomainError(f"{file}:{last_line(error, str(file))}: {error}") from None
    except SyntaxError as error:
        raise DomainError(f"{error.filename}:{error.lineno}: not Python: {error.msg}") from None
    except LearError as error:
        raise DomainError(f"{file}:{last_line(error, str(file))}: {error}") from None
    except (Exception, SystemExit) as error:
        if isinstance(error, OSError) and error.filename == str(file):
            raise DataError(f"{file}: cannot be read: {error.strerror}") from None
        raise DomainError(f"{file}: {cause(error, str(file))}") from error
    finally:
        sys.path.remove(folder)
    return module


def _domain_in(module: ModuleType, file: Path, name: str | None) -> Domain:
    domains = {key: value for key, value in vars(module).items() if isinstance(value, Domain)}
    if name is not None:
        if name not in domains:
            hint = did_you_mean(name, domains) if domains else "; it has none"
            raise UsageError(f"{file}: no domain {name!r}{hint}")
        return domains[name]
    distinct = {id(domain): domain for domain in domains.values()}
    if not distinct:
        raise DomainError(f"{file}: no domain in it: it assigns no Domain to a variable")
    if len(distinct) > 1:
        raise UsageError(f"{file}: several domains: name one, such as {file}:{min(domains)}")
    return next(iter(distinct.values()))
