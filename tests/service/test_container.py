"""The Dockerfile: its commands, run without Docker."""

import json
import os
import re
import shlex
import subprocess
import sys
import venv
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from lear.service.models import example_sentences
from lear.storage.datasets import shipped_models
from tests.support.declared_packages import offer_declared
from tests.support.service_process import SECONDS, wait_until

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
    run(f"{fresh / 'pip'} install --no-deps --no-index --quiet {wheel}")
    # What the wheel declares comes of this environment, and nothing else of it: so what the
    # service imports has to be declared.
    (site,) = (tmp_path / "venv/lib").glob("python*/site-packages")
    declared = offer_declared(wheel, ("serve", "sparql"), site)
    assert declared >= {"numpy", "starlette", "uvicorn", "prometheus-client", "pyoxigraph"}
    assert not declared & {"pytest", "torch", "pyarrow"}
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    undeclared = subprocess.run(
        [fresh / "python", "-c", "import pytest"], capture_output=True, env=own
    )
    assert undeclared.returncode != 0
    serve = json.loads(told("CMD")[-1])
    arguments = [{"0.0.0.0": "127.0.0.1", "8000": "0"}.get(part, part) for part in serve[1:]]
    with subprocess.Popen(
        [fresh / serve[0], *arguments], stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=own
    ) as service:
        assert service.stdout is not None
        address = service.stdout.readline().split()[-1]
        check = json.loads(told("HEALTHCHECK")[0].partition("CMD ")[2])
        check = [part.replace("http://127.0.0.1:8000/", address) for part in check]
        wait_until(lambda: subprocess.run([fresh / check[0], *check[1:]]).returncode == 0)
        assert runs_queries(address)
        service.terminate()
        assert service.wait(60) == 0


def runs_queries(address: str) -> bool:
    """Whether each model answers, and that of CFQ runs its forms."""
    for model in sorted(shipped_models()):
        text = example_sentences()[model][0].text
        body = json.dumps({"model": model, "texts": [text], "execute": True}).encode()
        headers = {"content-type": "application/json"}
        with urlopen(Request(f"{address}api/parse", body, headers), timeout=SECONDS) as response:
            (result,) = json.load(response)["results"]
        assert result["form"] is not None
        if model == "cfq":
            assert result["error"] is None
            assert result["answer"] is not None
    return True


def run(command: str) -> None:
    subprocess.run(command, shell=True, check=True, env=os.environ | {"PIP_NO_INPUT": "1"})
