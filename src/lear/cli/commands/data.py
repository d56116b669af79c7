"""`lear data`: list benchmarks, download their files, and check them."""

from argparse import Namespace
from dataclasses import asdict, dataclass, replace
from itertools import chain

from lear.benchmark import PARTS, Benchmark
from lear.cli.arguments import CommandParser, file_of, find_benchmark, find_domain, one_of
from lear.cli.output import byte_progress, stderr_tracker, table, write, write_json
from lear.domain import Domain
from lear.domains.registry import all_domains
from lear.errors import DataError, FileMissingError
from lear.evaluation.coverage import altered
from lear.messages import Tracker, note
from lear.storage.datasets import DataFile, DataFolder, can_fetch, download

EXAMPLES = """  lear data list
  lear data get cogs
  lear data get cogs --data ./benchmarks
  lear data check cogs"""

ACTIONS = ("list", "get", "check")


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "action",
        metavar="|".join(ACTIONS),
        help="list: show benchmarks and files; get: download missing files, verified by SHA-256; "
        "check: compare checksums, and read and print every form",
    )
    parser.add_argument(
        "domain", nargs="?", metavar="DOMAIN[/SPLIT]", help="only this domain or benchmark"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object (list, check)")
    parser.add_argument("--force", action="store_true", help="get: also replace files that differ")
    parser.add_data_option()


def run(options: Namespace) -> None:
    """List, get or check."""
    action = one_of(options.action, ACTIONS, "action")
    domains = list(all_domains().values())
    if options.domain is not None:
        domains = [_select(options.domain)]
    folder = DataFolder.choose(options.data)
    if action == "list":
        _list(domains, folder, as_json=options.json)
    elif action == "get":
        _get(domains, folder, force=options.force)
    else:
        _check(domains, folder, as_json=options.json)


def _select(name: str) -> Domain:
    """Return the domain of this name; a benchmark stands for its domain without the others."""
    if name == file_of(name) or "/" not in name:
        return find_domain(name)
    domain, benchmark = find_benchmark(name)
    return replace(domain, corpus=replace(domain.corpus, benchmarks=(benchmark,)))


def _files(domains: list[Domain]) -> list[DataFile]:
    """Return each file of these domains once, in the order of their benchmarks."""
    benchmarks = (benchmark for domain in domains for benchmark in domain.corpus.benchmarks)
    files = (files for benchmark in benchmarks for files in benchmark.files.values())
    return list(dict.fromkeys(chain.from_iterable(files)))


def _list(domains: list[Domain], folder: DataFolder, *, as_json: bool) -> None:
    benchmarks = [benchmark for domain in domains for benchmark in domain.corpus.benchmarks]
    files = [(file, folder.state(file)) for file in _files(domains)]
    if as_json:
        write_json(
            {
                "folder": str(folder.root),
                "benchmarks": [{"name": b.name, "summary": b.summary} for b in benchmarks],
                "files": [
                    {"path": f.path, "state": state, "bytes": f.size, "sha256": f.sha256}
                    for f, state in files
                ],
            }
        )
        return
    write(table([("benchmark", "what it is"), *((b.name, b.summary) for b in benchmarks)]))
    if files:
        rows = [(file.path, f"{file.size:,}", state) for file, state in files]
        write("")
        write(table([("file", "bytes", "state"), *rows], numbers=[1]))
        note(f"files are looked for in {folder.root} ({folder.chosen_by})")


def _get(domains: list[Domain], folder: DataFolder, *, force: bool) -> None:
    states = {file: folder.state(file) for file in _files(domains)}
    differing = [file for file, state in states.items() if state == "differs"]
    if differing and not force:
        raise DataError(
            f"{folder.root / differing[0].path}: differs from the published file; "
            "--force replaces it"
        )
    missing = [file for file, state in states.items() if state not in ("ok", "unpublished")]
    unavailable = [file for file in missing if not can_fetch(file)]
    available = [file for file in missing if can_fetch(file)]
    for file in available:
        with byte_progress(file.path, file.size) as advance:
            path = download(file, folder.root, advance)
        note(f"{path}: fetched and checked")
    if unavailable:
        first = unavailable[0]
        advice = f"{folder.root / first.path}: cannot be fetched by itself; {first.url}"
        counts = f"{len(available)} files fetched, {len(unavailable)} are missing"
        raise DataError(f"{counts}: {advice}")
    note(f"{len(states) - len(available)} files were there already, {len(available)} fetched")


@dataclass
class _Checked:
    """The result of checking the rows of one part."""

    name: str
    state: str
    rows: int = 0
    altered: int = 0
    """Rows whose form prints as another text."""
    changed: int = 0
    """Rows whose form prints as a text with another meaning."""

    @property
    def is_good(self) -> bool:
        return self.state in ("ok", "generated", "unpublished") and not self.changed


def _check(domains: list[Domain], folder: DataFolder, *, as_json: bool) -> None:
    tracker = stderr_tracker()
    parts = _distinct_parts(domains)
    checked = [
        _check_rows(*part, folder, tracker)
        for part in tracker.track(parts, "parts checked", len(parts))
    ]
    if as_json:
        write_json({"folder": str(folder.root), "checked": list(map(asdict, checked))})
    else:
        rows = [
            (c.name, c.state, str(c.rows), str(c.rows - c.changed), str(c.rows - c.altered))
            for c in checked
        ]
        heading = ("file", "state", "rows", "read and printed: same meaning", "same text")
        write(table([heading, *rows], numbers=[2, 3, 4]))
    bad = [c for c in checked if not c.is_good]
    if bad:
        first = f"{bad[0].name}: {bad[0].state}, {bad[0].changed} rows print with another meaning"
        raise DataError(
            f"{len(bad)} of {len(checked)} in {folder.root} are not as published ({first})"
        )


def _distinct_parts(domains: list[Domain]) -> list[tuple[Domain, Benchmark, str]]:
    """Return the parts of all benchmarks; those that are in the same files once."""
    parts = []
    seen: set[tuple[DataFile, ...]] = set()
    for domain in domains:
        for benchmark in domain.corpus.benchmarks:
            for part in PARTS:
                files = benchmark.files.get(part, ())
                if files not in seen or not files:
                    seen.add(files)
                    parts.append((domain, benchmark, part))
    return parts


def _check_rows(
    domain: Domain, benchmark: Benchmark, part: str, folder: DataFolder, tracker: Tracker
) -> _Checked:
    files = benchmark.files.get(part, ())
    # A file may hold several parts.
    is_shared = sum(files[:1] == others[:1] for others in benchmark.files.values()) > 1
    name = files[0].path if files and not is_shared else f"{benchmark.name} {part}"
    # The state of a part is the worst state of its files.
    states = {folder.state(file) for file in files}
    state = next((s for s in ("missing", "differs", "unpublished") if s in states), "ok")
    result = _Checked(name, state if files else "generated")
    try:
        examples = domain.corpus.load(benchmark, part, folder.find)
    except FileMissingError:
        result.state = "missing"
        return result
    if result.state == "missing":  # the rows came from files in another layout
        result.state = "unpublished"
    result.rows = len(examples)
    for row in altered(domain, tracker.track(examples, name, len(examples))):
        if not (result.altered if row.is_same_meaning else result.changed):
            same = "the same" if row.is_same_meaning else "another"
            note(f"{row.example.source}: prints with {same} meaning as {row.printed!r}")
        result.altered += 1
        result.changed += not row.is_same_meaning
    return result
