"""The wheel has all files of the package, the sdist all that tests need; both work."""

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src/lear"
SKIPPED = {"__pycache__"}
OUTSIDE = (
    ".ci/run", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile",
    "README.md", "pyproject.toml", "requirements-dev.in", "requirements-dev.txt", "SECURITY.md",
    "docs/demo.sh", "docs/results/template.md",
    "examples/arithmetic.py", "tests/conftest.py", "tests/support/cli.py",
)  # fmt: skip

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an sdist, and of a wheel made from it."""
    pytest.importorskip("build", reason="needs the package build: pip install '.[dev]'")
    pytest.importorskip("hatchling", reason="needs the package hatchling: pip install '.[dev]'")
    folder = tmp_path_factory.mktemp("dist")
    # With what is installed: no network is needed.
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


@pytest.fixture(scope="module")
def unpacked(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist as a packager sees it."""
    (archive,) = built.glob("*.tar.gz")
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(archive) as stream:
        stream.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


def files_below(folder: Path) -> set[str]:
    """All files, as paths below the folder; not what Python makes of them."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in paths if not SKIPPED.intersection(path.parts)}


def test_the_wheel_is_the_package(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        told = archive.read(metadata).decode()
    inside = {name for name in names if ".dist-info/" not in name}
    assert inside == {f"lear/{path}" for path in files_below(PACKAGE)}
    assert {
        "lear/py.typed",
        "lear/baselines/recipes.toml",
        "lear/domains/geo/phrase_table.toml",
        *(f"lear/recipes/{domain}/best.toml" for domain in ("any", "cogs", "slog", "cfq", "geo")),
        *(
            f"lear/pretrained/{m}/model.safetensors"
            for m in ("cogs", "slog", "cfq", "geo", "geo-query")
        ),
    } <= inside
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for label, url in project["urls"].items():
        assert f"Project-URL: {label}, {url}\n" in told
    assert set(project["urls"]) >= {"Homepage", "Documentation", "Changelog", "Issues"}
    assert "License-Expression: MIT\n" in told


def test_the_sdist_has_all_that_tests_need(unpacked: Path) -> None:
    inside = files_below(unpacked)
    expected = {
        f"{folder}/{path}"
        for folder in ("src", "tests", "docs", "examples", "scripts", ".ci")
        for path in files_below(ROOT / folder)
    }
    # What is not tracked, such as results of one's own, may lie in the clone.
    assert inside >= expected & tracked()
    assert inside >= set(OUTSIDE)


def tracked() -> set[str]:
    """The files under version control; all of them where there is none, as in an sdist."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    return set(listed.stdout.splitlines()) if listed.returncode == 0 else files_below(ROOT)


def test_tests_pass_in_the_sdist(unpacked: Path) -> None:
    few = ("tests/test_docs.py", "tests/test_architecture.py", "tests/cli/test_usage.py",
           "tests/reproduce/test_report.py", "tests/test_examples.py")  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(unpacked / "src"), "LEAR_DATA": ""}
    options = ("-p", "no:cacheprovider", "-m", "not slow and not data")
    command = [sys.executable, "-m", "pytest", *options, *few]
    result = subprocess.run(command, cwd=unpacked, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_the_package_of_the_wheel_works_by_itself(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    result = subprocess.run(
        [sys.executable, "-m", "lear", "parse", "cogs", "Emma slept ."],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "=> sleep . agent ( x _ 1 , Emma )" in result.stdout.splitlines()
