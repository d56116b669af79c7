"""The layering of the package: arrows go one way, and the core is light to import."""

import ast
import subprocess
import sys
from pathlib import Path

import lear

PACKAGE = Path(lear.__file__).parent

# From the bottom up: a module may import from its own layer and from layers before it.
LAYERS = (
    ("version", "errors", "suggestion", "stems", "messages", "garbage"),
    ("algebra", "lexicon", "chart", "data", "lattice"),
    ("derivation", "induction", "alignment"),
    ("forest", "rendering"),
    ("domain",),
    ("categories", "reward"),
    ("rules", "oracle", "domains"),
    ("grammar",),
    ("decoding", "lookahead"),
    ("viterbi",),
    ("model",),
    ("parser",),
    ("evaluation",),
    ("training",),
    ("speed", "baselines"),
    ("cli",),
    ("__main__",),
)
HEAVY = ("cli", "model", "training", "speed", "baselines", "__init__")
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def imports(path: Path) -> set[str]:
    """Dotted names of all modules that a file imports, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {node.module or ""}
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def imported_layers(path: Path) -> set[str]:
    parts = (name.split(".") for name in imports(path))
    return {names[1] for names in parts if names[0] == "lear" and len(names) > 1} & set(LEVEL)


def owner(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_every_module_has_a_layer_and_imports_only_downwards() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path == PACKAGE / "__init__.py":
            continue
        for imported in imported_layers(path):
            message = f"{path.relative_to(PACKAGE)} imports lear.{imported}"
            assert LEVEL[imported] <= LEVEL[owner(path)], message


def test_domains_do_not_import_each_other_nor_the_registry() -> None:
    for folder in (PACKAGE / "domains").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            for path in folder.glob("*.py"):
                inside = {name for name in imports(path) if name.startswith("lear.domains")}
                assert all(name.startswith(f"lear.domains.{folder.name}") for name in inside), path


def test_the_core_and_the_domains_import_nothing_heavy() -> None:
    allowed = {"lear", "msgspec", "platformdirs", *sys.stdlib_module_names}
    # The triple store is imported when a query is to be run, and is an extra.
    # Sums over alignments are arrays; numpy is imported when a lexicon is induced.
    also = {
        PACKAGE / "domains/cfq/store.py": {"pyoxigraph"},
        PACKAGE / "lattice.py": {"numpy"},
    }
    for path in PACKAGE.rglob("*.py"):
        if owner(path) not in HEAVY:
            found = {name.split(".")[0] for name in imports(path)}
            assert found <= allowed | also.get(path, set()), path


def test_the_model_imports_no_domain() -> None:
    for path in (PACKAGE / "model").glob("*.py"):
        assert not any(name.startswith("lear.domains") for name in imports(path)), path


def test_commands_without_a_model_do_not_load_torch() -> None:
    script = (
        "import sys; from lear.__main__ import main; "
        "code = main(['coverage', 'toy', '--limit', '1', '--json']); "
        "sys.exit(code or 'torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)


def test_every_domain_folder_has_the_same_core_files() -> None:
    expected = {
        "algebra.py",
        "form.py",
        "guide.py",
        "lexicon.py",
        "data.py",
        "domain.py",
        "category.py",
    }
    for folder in (PACKAGE / "domains").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            assert expected <= {path.name for path in folder.glob("*.py")}


def test_the_core_imports_without_torch_and_quickly() -> None:
    script = (
        "import sys, time; started = time.perf_counter(); import lear.core.algebra; "
        "print(time.perf_counter() - started, 'torch' in sys.modules, 'rich' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    seconds, torch, rich = zip(*(run.stdout.split() for run in runs), strict=True)
    assert {*torch, *rich} == {"False"}
    assert min(map(float, seconds)) < 0.2
