"""The Dockerfile: its commands, run without Docker."""

import json
import os
import re
import shlex
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.support.service_process import wait_until

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "Dockerfile").read_text()
INSTRUCTIONS = [
    tuple(line.split(maxsplit=1))
    for line in TEXT.replace("\\\n", " ").splitlines()
    if line and not line.startswith("#")
]


def told(name: str) -> list[str]:
    return [rest for instruction, rest in INSTRUCTIONS if instruction == name]


def test_it_is_short_and_runs_as_nobody_special() -> None:
    assert len(INSTRUCTIONS) <= 12
    assert told("USER") == ["lear"]
    assert "useradd --system lear" in TEXT
    assert "torch" not in TEXT.partition("\n")[2]
    names = [name for name, _ in INSTRUCTIONS]
    assert names.index("USER") < names.index("CMD")


@pytest.mark.slow
def test_its_commands_build_install_and_serve(tmp_path: Path) -> None:
    build, install = told("RUN")
    # What the image has anew, this environment has: the tools to build, and the dependencies.
    command = build.partition(" && ")[2].replace("/source", shlex.quote(str(ROOT)))
    command = command.replace("/wheel", shlex.quote(str(tmp_path / "wheel")))
    python = shlex.quote(sys.executable)
    run(command.replace("python -m build", f"{python} -m build --no-isolation"))
    venv.create(tmp_path / "venv", with_pip=True)
    (wheel,) = (tmp_path / "wheel").glob("*.whl")
    fresh = tmp_path / "venv/bin"
    assert re.search(r"\[serve,sparql\]", install)
    offered = [path for path in sys.path if path.endswith("site-packages")]
    run(f"{fresh / 'pip'} install --no-deps --no-index --quiet {wheel}")
    # Dependencies come of this environment; the package itself must be that of the wheel.
    (site,) = (tmp_path / "venv/lib").glob("python*/site-packages")
    (site / "offered.pth").write_text("\n".join(offered))
    serve = json.loads(told("CMD")[-1])
    arguments = [{"0.0.0.0": "127.0.0.1", "8000": "0"}.get(part, part) for part in serve[1:]]
    with subprocess.Popen(
        [fresh / serve[0], *arguments], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as service:
        assert service.stdout is not None
        address = service.stdout.readline().split()[-1]
        check = json.loads(told("HEALTHCHECK")[0].partition("CMD ")[2])
        check = [part.replace("http://127.0.0.1:8000/", address) for part in check]
        wait_until(lambda: subprocess.run([fresh / check[0], *check[1:]]).returncode == 0)
        service.terminate()
        assert service.wait(60) == 0


def run(command: str) -> None:
    subprocess.run(command, shell=True, check=True, env=os.environ | {"PIP_NO_INPUT": "1"})
