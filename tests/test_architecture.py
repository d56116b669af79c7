"""The layering of the package: arrows go one way, files stay small, and the core is light."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

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


def owner(path: Path) -> str:
    """The folder or the root module that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_owners(path: Path) -> set[str]:
    parts = (name.split(".") for name in imports(path))
    return {names[1] for names in parts if names[0] == "lear" and len(names) > 1} & set(LEVEL)


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


def test_a_module_holds_one_idea() -> None:
    for path in MODULES:
        assert len(path.read_text().splitlines()) <= MAX_FILE_LINES, path
        for function in functions(path):
            body = function.body
            # A docstring does not count: it may take the room that it needs.
            first = body[1] if ast.get_docstring(function) and len(body) > 1 else body[0]
            size = (function.end_lineno or 0) - first.lineno + 1
            assert size <= MAX_FUNCTION_LINES, f"{path}: {function.name} has {size} lines"


SHARED = ("lear.domains.pairs",)
"""What every domain may use beside its own files."""


def test_domains_do_not_import_each_other_nor_the_registry() -> None:
    # SLOG, which is one file, is built on COGS.
    for folder in (path for path in (PACKAGE / "domains").iterdir() if path.is_dir()):
        own = f"lear.domains.{folder.name}"
        for path in folder.glob("*.py"):
            inside = {name for name in imports(path) if name.startswith("lear.domains")}
            assert all(name.startswith((own, *SHARED)) for name in inside), path


def test_no_module_is_a_chip_of_its_only_importer() -> None:
    importers: dict[str, set[Path]] = {}
    for path in MODULES:
        for name in imports(path):
            importers.setdefault(name, set()).add(path)
    for path in MODULES:
        lines = len(path.read_text().splitlines())
        name = ".".join(("lear", *path.relative_to(PACKAGE).with_suffix("").parts))
        is_replaced = "domains/terms" in path.as_posix()
        if path.name != "__init__.py" and lines < MIN_LINES_FOR_ONE and not is_replaced:
            assert len(importers.get(name, ())) != 1, f"{path} has {lines} lines and one importer"


def test_what_lies_below_models_imports_nothing_heavy() -> None:
    allowed = {"lear", "msgspec", "platformdirs", *sys.stdlib_module_names}
    # The triple store has a process of its own, and is an extra.
    # Sums over alignments are arrays, and so are searches of many sentences. Stems and distances
    # are for words that nobody has seen.
    also = {
        PACKAGE / "storage/files.py": {"filelock"},
        PACKAGE / "domains/cfq/triple_store.py": {"pyoxigraph"},
        PACKAGE / "lexicon/alignment.py": {"numpy"},
        PACKAGE / "lexicon/stems.py": {"snowballstemmer"},
        PACKAGE / "domains/terms/types_file.py": {"tomli_w"},
        PACKAGE / "grammar/unknown_words.py": {"rapidfuzz"},
        **{path: {"numpy"} for path in (PACKAGE / "forest").glob("*.py")},
    }
    below = {name for names in LAYERS[: LEVEL["model"]] for name in names}
    for path in MODULES:
        if owner(path) in below:
            names = {name.split(".")[0] for name in imports(path)}
            assert names <= allowed | also.get(path, set()), path


def test_torch_is_for_training() -> None:
    trains = {"learning", "baselines", "reproduce"}
    # Speed is measured with torch's threads set; the module is imported to measure training only.
    also = {
        PACKAGE / "cli/commands/bench.py",
        PACKAGE / "model/network.py",
        PACKAGE / "policy/gradient.py",
        PACKAGE / "policy/reference.py",
    }
    for path in MODULES:
        names = imports(path)
        if "safetensors.torch" in names or any(name.split(".")[0] == "torch" for name in names):
            assert owner(path) in trains or path in also, path


def test_models_and_objectives_import_no_domain() -> None:
    for folder in ("model", "policy", "answering", "forest"):
        for path in (PACKAGE / folder).glob("*.py"):
            assert not any(name.startswith("lear.domains") for name in imports(path)), path


def test_commands_without_a_model_do_not_load_torch() -> None:
    script = (
        "import sys; from lear.__main__ import main; "
        "code = main(['coverage', 'toy', '--limit', '1', '--json']); "
        "sys.exit(code or 'torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)


def test_the_core_imports_without_torch_and_numpy() -> None:
    script = (
        "import sys; import lear.algebra.algebra, lear.algebra.derivations, lear.lexicon.lexicon; "
        "sys.exit(any(name in sys.modules for name in ('torch', 'numpy', 'rich')))"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_no_test_file_imports_another() -> None:
    for path in Path(__file__).parent.rglob("test_*.py"):
        for name in imports(path):
            assert ".test_" not in f".{name}", f"{path}: {name}"
            assert "conftest" not in name, f"{path}: {name}"
