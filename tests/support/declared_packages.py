"""What a wheel declares that it needs, and nothing else, offered to an environment, offline."""

from collections.abc import Iterable, Iterator
from email.parser import Parser
from importlib.metadata import Distribution, distribution
from pathlib import Path
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

Wanted = tuple[str, str]
"""The name of a package, and one of its extras or nothing."""


def offer_declared(wheel: Path, extras: Iterable[str], site: Path) -> set[str]:
    """Link what a wheel with some extras needs into a folder of packages; what that is.

    The packages come of the environment that runs this. What has been declared and is not there, or
    is there in a version that does not fit, is an error.
    """
    with ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = Parser().parsestr(archive.read(name).decode())
    found: dict[str, Distribution] = {}
    asked: set[Wanted] = set()
    wanted = list(_wanted(metadata.get_all("Requires-Dist", []), ("", *extras)))
    while wanted:
        package, extra = wanted.pop()
        if (package, extra) not in asked:
            asked.add((package, extra))
            found[package] = distribution(package)
            wanted += _wanted(found[package].requires or [], (extra,))
    for there in found.values():
        _link(there, site)
    return set(found)


def _wanted(lines: Iterable[str], extras: Iterable[str]) -> Iterator[Wanted]:
    for requirement in map(Requirement, lines):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras):
            name = canonicalize_name(requirement.name)
            there = distribution(name).version
            assert requirement.specifier.contains(there, prereleases=True), (
                str(requirement),
                there,
            )
            yield from ((name, extra) for extra in ("", *requirement.extras))


def _link(package: Distribution, site: Path) -> None:
    for name in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
        if not (site / name).exists():
            (site / name).symlink_to(Path(str(package.locate_file(name))))
