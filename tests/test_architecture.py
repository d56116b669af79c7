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
    ("version", "errors", "messages", "storage"),
    ("core",),
    ("domain", "induction"),
    ("grammar", "domains"),
    ("search",),
    ("model", "network"),
    ("exact", "policy"),
    ("decoding", "parallel", "parser", "evaluation", "training"),
    ("baselines", "bulk", "reproduction", "service", "page", "cli", "__main__"),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
MAX_ROOT_FILES = 6
MAX_FILE_LINES = 350
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


def test_few_files_lie_at_the_root() -> None:
    names = [path.name for path in PACKAGE.glob("*.py")]
    assert len(names) <= MAX_ROOT_FILES, names


def test_files_and_functions_stay_small() -> None:
    for path in MODULES:
        assert len(path.read_text().splitlines()) <= MAX_FILE_LINES, path
        for function in functions(path):
            body = function.body
            # A docstring does not count: it may take the room that it needs.
            first = body[1] if ast.get_docstring(function) and len(body) > 1 else body[0]
            size = (function.end_lineno or 0) - first.lineno + 1
            assert size <= MAX_FUNCTION_LINES, f"{path}: {function.name} has {size} lines"


BUILT_ON = {"slog": "cogs"}
"""A domain whose meanings are those of another one, and more."""


def test_other_domains_do_not_import_each_other_nor_the_registry() -> None:
    for folder in (PACKAGE / "domains").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            for path in folder.glob("*.py"):
                inside = {name for name in imports(path) if name.startswith("lear.domains")}
                own = {f"lear.domains.{name}" for name in (folder.name, BUILT_ON.get(folder.name))}
                assert all(name.startswith(tuple(own)) for name in inside), path


def test_what_lies_below_models_imports_nothing_heavy() -> None:
    allowed = {"lear", "msgspec", "platformdirs", *sys.stdlib_module_names}
    # The triple store has a process of its own, and is an extra.
    # Sums over alignments are arrays, and so are searches of many sentences. Stems and distances
    # are for words that nobody has seen.
    also = {
        PACKAGE / "domains/cfq/triple_store.py": {"pyoxigraph"},
        PACKAGE / "induction/alignment_lattice.py": {"numpy"},
        PACKAGE / "core/stems.py": {"snowballstemmer"},
        PACKAGE / "domains/terms/types_file.py": {"tomli_w"},
        PACKAGE / "grammar/unseen_words.py": {"rapidfuzz"},
        **{path: {"numpy"} for path in (PACKAGE / "search").glob("*.py")},
    }
    below = {name for names in LAYERS[: LEVEL["model"]] for name in names}
    for path in MODULES:
        if owner(path) in below:
            names = {name.split(".")[0] for name in imports(path)}
            assert names <= allowed | also.get(path, set()), path


def test_torch_is_for_training() -> None:
    trains = {"network", "exact", "policy", "training", "baselines", "reproduction"}
    # Speed is measured with torch's threads set; the module is imported to measure training only.
    measures = {PACKAGE / "cli/commands/bench.py"}
    for path in MODULES:
        names = imports(path)
        if "safetensors.torch" in names or any(name.split(".")[0] == "torch" for name in names):
            assert owner(path) in trains or path in measures, path


def test_models_and_objectives_import_no_domain() -> None:
    for folder in ("model", "network", "exact", "policy", "decoding"):
        for path in (PACKAGE / folder).glob("*.py"):
            assert not any(name.startswith("lear.domains") for name in imports(path)), path


def test_every_domain_folder_has_the_same_core_files() -> None:
    expected = {
        "algebra.py",
        "form_text.py",
        "lexicon.py",
        "corpus.py",
        "categories.py",
        "domain.py",
    }
    for folder in (PACKAGE / "domains").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            assert expected <= {path.name for path in folder.glob("*.py")}


def test_commands_without_a_model_do_not_load_torch() -> None:
    script = (
        "import sys; from lear.__main__ import main; "
        "code = main(['coverage', 'toy', '--limit', '1', '--json']); "
        "sys.exit(code or 'torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)


def test_the_core_imports_without_torch_and_numpy() -> None:
    script = (
        "import sys; import lear.core.algebra, lear.core.derivation, lear.core.lexicon; "
        "sys.exit(any(name in sys.modules for name in ('torch', 'numpy', 'rich')))"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_no_test_file_imports_another() -> None:
    for path in Path(__file__).parent.rglob("test_*.py"):
        for name in imports(path):
            assert ".test_" not in f".{name}", f"{path}: {name}"
            assert "conftest" not in name, f"{path}: {name}"
