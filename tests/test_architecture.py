"""The layering of the package: arrows go one way, rooms are neither chips nor halls, light core."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lear

PACKAGE = Path(lear.__file__).parent
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))

# From the bottom up. A module may import from its own layer and from the layers before it.
LAYERS = (
    ("version", "errors", "messages", "memory", "storage"),
    ("benchmark", "algebra"),
    ("lexicon",),
    ("domain",),
    ("grammar", "domains"),
    ("forest",),
    ("model",),
    ("policy",),
    ("answering", "parallel", "parser", "evaluation", "learning"),
    ("baselines", "bulk", "reproduce", "service", "page", "cli", "__main__"),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
MAX_FILE_LINES = 800
"""A module holds one whole idea; a longer one holds two."""
MIN_LINES_FOR_ONE = 60
"""A shorter module that only one other imports is a part of that one."""
MAX_FUNCTION_LINES = 50
LIGHT = {"lear", "msgspec", "platformdirs", *sys.stdlib_module_names}
"""What modules below models import."""
HEAVIER = {
    # The triple store has a process of its own, and is an extra.
    "domains/cfq/triple_store.py": {"pyoxigraph"},
    "domains/terms/types_file.py": {"tomli_w"},
    # Sums over alignments are arrays. Stems and distances are for words that nobody has seen.
    "lexicon/alignment.py": {"numpy"},
    "lexicon/stems.py": {"snowballstemmer"},
    "grammar/unknown_words.py": {"rapidfuzz"},
    "storage/files.py": {"filelock"},
}
TRAINING = {"learning", "baselines", "reproduce"}
ALSO_TORCH = (
    "cli/commands/bench.py",
    "model/network.py",
    "policy/gradient.py",
)
"""Speed is measured with torch's threads set; the others are imported to train only."""


def imports(path: Path) -> set[str]:
    """Dotted names of all modules that a file imports, also inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {node.module or ""}
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


IMPORTS = {path: imports(path) for path in MODULES}


def owner(path: Path) -> str:
    """The folder or the root module that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_owners(path: Path) -> set[str]:
    parts = (name.split(".") for name in IMPORTS[path])
    return {names[1] for names in parts if names[0] == "lear" and len(names) > 1} & set(LEVEL)


def importers(path: Path) -> list[Path]:
    name = ".".join(("lear", *path.relative_to(PACKAGE).with_suffix("").parts))
    return [other for other, names in IMPORTS.items() if name in names]


def functions(path: Path) -> Iterator[ast.FunctionDef]:
    yield from (n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.FunctionDef))


def test_every_module_has_a_layer_and_imports_only_downwards() -> None:
    for path in MODULES:
        if path != PACKAGE / "__init__.py":
            for imported in imported_owners(path):
                message = f"{path.relative_to(PACKAGE)} imports lear.{imported}"
                assert LEVEL[imported] <= LEVEL[owner(path)], message


def test_folders_of_one_layer_do_not_import_each_other_in_a_circle() -> None:
    graph = {name: set[str]() for name in LEVEL}
    for path in MODULES:
        if path != PACKAGE / "__init__.py":
            graph[owner(path)] |= imported_owners(path) - {owner(path)}
    while graph:
        free = [name for name, needed in graph.items() if not needed & graph.keys()]
        assert free, f"in a circle: {sorted(graph)}"
        for name in free:
            del graph[name]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_is_a_room(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    assert lines <= MAX_FILE_LINES
    is_replaced = "domains/terms" in path.as_posix()
    if path.name != "__init__.py" and lines < MIN_LINES_FOR_ONE and not is_replaced:
        assert len(importers(path)) != 1, f"{lines} lines and one importer"
    if path.name.startswith("_") and not path.name.startswith("__"):
        outside = [other for other in importers(path) if path.parent not in other.parents]
        assert not outside, "only its own folder imports what begins with _"
    for function in functions(path):
        body = function.body
        # A docstring does not count: it may take the room that it needs.
        first = body[1] if ast.get_docstring(function) and len(body) > 1 else body[0]
        size = (function.end_lineno or 0) - first.lineno + 1
        assert size <= MAX_FUNCTION_LINES, f"{function.name} has {size} lines"


def test_domains_do_not_import_each_other_nor_the_registry() -> None:
    # All may use the pairs. SLOG, which is one file, is built on COGS.
    for folder in (path for path in (PACKAGE / "domains").iterdir() if path.is_dir()):
        allowed = (f"lear.domains.{folder.name}", "lear.domains.pairs")
        for path in folder.glob("*.py"):
            inside = {name for name in IMPORTS[path] if name.startswith("lear.domains")}
            assert all(name.startswith(allowed) for name in inside), path


def test_models_and_objectives_import_no_domain() -> None:
    for path in MODULES:
        if owner(path) in ("model", "policy", "answering", "forest"):
            assert not any(name.startswith("lear.domains") for name in IMPORTS[path]), path


def test_heavy_packages_are_imported_where_they_are_needed() -> None:
    below = {name for names in LAYERS[: LEVEL["model"]] for name in names}
    for path in MODULES:
        place = path.relative_to(PACKAGE).as_posix()
        names = {name.split(".")[0] for name in IMPORTS[path]}
        if owner(path) in below:
            # Searches of many sentences are arrays.
            heavier = {"numpy"} if owner(path) == "forest" else HEAVIER.get(place, set())
            assert names <= LIGHT | heavier, path
        if "torch" in names or "safetensors.torch" in IMPORTS[path]:
            assert owner(path) in TRAINING or place in ALSO_TORCH, path


@pytest.mark.parametrize(
    ("script", "heavy"),
    [
        ("import lear", ("msgspec", "numpy", "torch", "rich")),
        (
            "import lear.algebra.algebra, lear.algebra.derivations, lear.lexicon.lexicon",
            ("torch", "numpy", "rich"),
        ),
        (
            "from lear.__main__ import main; "
            "assert main(['coverage', 'toy', '--limit', '1', '--json']) == 0",
            ("torch",),
        ),
    ],
)
def test_what_is_not_needed_is_not_loaded(script: str, heavy: tuple[str, ...]) -> None:
    code = f"import sys; {script}; sys.exit(any(name in sys.modules for name in {heavy}))"
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)


def test_public_names_are_those_that_load() -> None:
    assert {getattr(lear, name) is not None for name in lear.__all__} == {True}


def test_no_test_file_imports_another() -> None:
    for path in Path(__file__).parent.rglob("test_*.py"):
        for name in imports(path):
            assert ".test_" not in f".{name}", f"{path}: {name}"
            assert "conftest" not in name, f"{path}: {name}"
