"""The example of a language of one's own works, in Python and as an installed domain."""

import importlib.util
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from lear.benchmark import Example
from lear.domains.registry import find_domain, register
from lear.errors import FormError, UsageError
from lear.evaluation.coverage import altered

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "examples/arithmetic.py"


@pytest.fixture(scope="module")
def arithmetic() -> ModuleType:
    spec = importlib.util.spec_from_file_location("arithmetic", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["arithmetic"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_it_learns_and_works_out_long_expressions(
    arithmetic: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    arithmetic.main()
    shown = capsys.readouterr().out
    assert "long expressions: 100.0 % exact" in shown
    assert shown.rstrip().endswith("= 52")
    assert find_domain("arithmetic") is arithmetic.ARITHMETIC


def test_its_forms_read_back(arithmetic: ModuleType) -> None:
    corpus = arithmetic.ARITHMETIC.corpus
    rows: list[Example] = corpus.load(corpus.benchmarks[0], "test", None)
    assert not list(altered(arithmetic.ARITHMETIC, rows))
    for form in ("add ( 1", "1 2", "", "add ( 2 x"):
        with pytest.raises(FormError):
            list(altered(arithmetic.ARITHMETIC, [Example(("one",), form, "", "test:1")]))


def test_a_name_is_taken_once(arithmetic: ModuleType) -> None:
    register(arithmetic.ARITHMETIC)
    register(arithmetic.ARITHMETIC)  # the same again is no harm
    with pytest.raises(UsageError, match="another domain 'arithmetic'"):
        register(replace(arithmetic.ARITHMETIC))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "code", "said"),
    [
        ("arithmetic:ARITHMETIC", 0, "100.00 %"),
        ("arithmetic:read", 1, "not a domain named 'arithmetic'"),
        ("nowhere:ARITHMETIC", 1, "cannot be loaded: No module named 'nowhere'"),
        ("leaving:ARITHMETIC", 1, "cannot be loaded: good bye"),
    ],
)
def test_installed_packages_offer_domains(tmp_path: Path, value: str, code: int, said: str) -> None:
    (tmp_path / "arithmetic.py").write_text(SOURCE.read_text())
    (tmp_path / "leaving.py").write_text("raise SystemExit('good bye\\nand more')")
    package = tmp_path / "arithmetic-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: arithmetic\nVersion: 1\n")
    (package / "entry_points.txt").write_text(f"[lear.domains]\narithmetic = {value}\n")
    path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))

    def ask(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "lear", *arguments]
        environment = {**os.environ, "PYTHONPATH": path}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    done = ask("coverage", "arithmetic")
    assert done.returncode == code
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    if code:  # the others go on
        assert ask("algebra", "toy").returncode == 0


@pytest.mark.slow
def test_the_picture_of_categories_is_of_its_derivation() -> None:
    command = [
        *(sys.executable, "-m", "lear", "show", str(SOURCE), "two times three plus double four"),
        *("--gold", "add ( multiply ( 2 , 3 ) , double ( 4 ) )", "--format", "svg"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == (ROOT / "docs/categories.svg").read_text()
