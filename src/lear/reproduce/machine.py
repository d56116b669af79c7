"""Where and with what figures were made: machine, versions, commit, date."""

import hashlib
import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from lear.version import __version__

PACKAGE = Path(__file__).parent.parent
UNKNOWN = "unknown"


class Provenance(msgspec.Struct, frozen=True):
    """Where something was computed, with which code, and when."""

    date: str
    commit: str
    """The commit of the repository; it ends in `-dirty` if source files had been changed since."""
    code: str
    """A digest of the source files of lear."""
    lear: str
    python: str
    torch: str
    system: str
    cpu: str
    cores: int
    memory_gib: float
    load: float
    """How many processes were running when it began, over the minute before."""


def here_and_now() -> Provenance:
    """Describe this machine, this code and this moment."""
    return Provenance(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=commit(),
        code=code_digest(),
        lear=__version__,
        python=platform.python_version(),
        torch=_torch(),
        system=platform.platform(),
        cpu=_cpu(),
        cores=os.cpu_count() or 1,
        memory_gib=_memory_gib(),
        load=round(os.getloadavg()[0], 2),
    )


def commit() -> str:
    """Return the commit of the repository; `unknown` for an installed package."""
    if _git("ls-files", "--error-unmatch", "__init__.py") is None:
        return UNKNOWN
    head = _git("rev-parse", "--short=10", "HEAD") or UNKNOWN
    return f"{head}-dirty" if _git("status", "--porcelain", "--", ".") else head


@cache
def code_digest() -> str:
    """Return a digest of all source files and recipes of the package."""
    digest = hashlib.sha256()
    for path in sorted((*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml"))):
        digest.update(f"{path.relative_to(PACKAGE)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:10]


def _git(*arguments: str) -> str | None:
    """Return what git prints about the folder of the package; None if it fails."""
    command = ["git", "-C", str(PACKAGE), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _torch() -> str:
    try:
        return version("torch")
    except PackageNotFoundError:
        return UNKNOWN


def _cpu() -> str:
    """Return the name of the processor, as Linux tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine() or UNKNOWN)


def _memory_gib() -> float:
    try:
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0.0
    return round(pages / 2**30, 1)
