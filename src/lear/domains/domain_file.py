"""A domain in one Python file, used as it is: `my_domain.py`, or `my_domain.py:NAME`.

Such a file is code, and loading it runs it. So it is loaded where somebody names it, and nowhere
else: a model only remembers the name of its file.
"""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from lear.domain.domain import Domain
from lear.domain.guard import cause, guarded, last_line
from lear.domain.soundness import require_sound
from lear.domains.registry import register_from_file
from lear.domains.time_limit import TookTooLong, time_limit
from lear.errors import DataError, DomainError, LearError, UsageError
from lear.messages.suggestions import did_you_mean

MAX_SECONDS = 60.0
"""How long a file may take to run. A domain only says what there is; rows are loaded later."""
_loaded: dict[tuple[object, ...], Domain] = {}
"""File as it is now, and name in it -> the domain; a file is run once."""


def load_domain(path: str | Path, name: str | None = None) -> Domain:
    """Run a Python file, and register its domain: `find_domain` and models know it then.

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
    try:
        register_from_file(_loaded[key])
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    return _loaded[key]


def _run(file: Path) -> ModuleType:
    """The module of a file; whatever goes wrong in it is one line."""
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
    except OSError as error:
        if error.filename != str(file):
            raise DomainError(f"{file}: {cause(error, str(file))}") from error
        raise DataError(f"{file}: cannot be read: {error.strerror}") from None
    except LearError as error:
        raise DomainError(f"{file}:{last_line(error, str(file))}: {error}") from None
    except (Exception, SystemExit) as error:
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
