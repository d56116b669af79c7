"""The layering of the package: arrows go one way, and the core is light to import."""

import ast
import subprocess
import sys
from pathlib import Path

import lear

PACKAGE = Path(lear.__file__).parent

# From the bottom up: a module may import from its own layer and from layers before it.
LAYERS = (
    ("version", "errors", "suggestion"),
    ("algebra", "lexicon", "chart", "data"),
    ("derivation", "induction"),
    ("forest", "rendering"),
    ("domain",),
    ("categories", "reward"),
    ("rules", "oracle", "domains"),
    ("evaluation",),
    ("cli",),
    ("__main__",),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def imports(path: Path) -> set[str]:
    """The top-level modules of lear that a file imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("lear.")}
    return found


def owner(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_every_module_has_a_layer_and_imports_only_downwards() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path == PACKAGE / "__init__.py":
            continue
        for imported in imports(path):
            message = f"{path.relative_to(PACKAGE)} imports lear.{imported}"
            assert LEVEL[imported] <= LEVEL[owner(path)], message


def test_domains_do_not_import_each_other() -> None:
    for folder in (PACKAGE / "domains").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            others = {d.name for d in (PACKAGE / "domains").iterdir()} - {folder.name}
            for path in folder.glob("*.py"):
                for other in others:
                    assert f"lear.domains.{other}" not in path.read_text()


def test_every_domain_folder_has_the_same_core_files() -> None:
    expected = {"algebra.py", "form.py", "guide.py", "lexicon.py", "data.py", "domain.py"}
    for folder in (PACKAGE / "domains").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            assert expected <= {path.name for path in folder.glob("*.py")}


def test_the_core_imports_without_torch_and_quickly() -> None:
    script = (
        "import sys, time; started = time.perf_counter(); import lear.algebra; "
        "print(time.perf_counter() - started, 'torch' in sys.modules, 'rich' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    seconds, torch, rich = zip(*(run.stdout.split() for run in runs), strict=True)
    assert {*torch, *rich} == {"False"}
    assert min(map(float, seconds)) < 0.2
