"""Count what a reader of the code has to visit: files, functions and switches between files.

    python scripts/walks.py [WALK ...]        # all by default, which takes a minute or two

For each walk it prints the files of lear with at least one call in them, the functions called, how
often a call is in another file than the call before, and the modules of lear that are imported.
Imports themselves are not counted, nor are lambdas and comprehensions. It runs the `lear` that this
Python finds (PYTHONPATH chooses another source tree) by its public face alone: the command line,
`lear.Parser` and the HTTP API.
"""

import argparse
import inspect
import json
import mmap
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

SENTENCE = "what is the capital of texas ?"
EARLIER = "what rivers run through texas ?"  # asked first, as a first request needs more
SMALL = ("toy/deep", "--dev_every", "3", "--curriculum", "[{epochs = 3}]")
STEP = 3  # what only the first one needs is done by then
FOLDER = "LEAR_WALK"  # the variable that tells a process where to leave what it counted
OFF, ON, WRITE = 0, 1, 2

Figures = dict[str, Any]


class Tracer:
    """Counts calls of functions in files of lear."""

    def __init__(self, switch: mmap.mmap | bytes = bytes([ON])) -> None:
        self.functions: set[tuple[str, str, int]] = set()
        self.switches = 0
        self._switch = switch
        self._last = ""
        self._importing = threading.local()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Note an event, as `sys.setprofile` tells it."""
        code = frame.f_code
        depth: int = getattr(self._importing, "depth", 0)
        if code.co_name == "<module>" and frame.f_globals.get("__name__") != "__main__":
            self._importing.depth = max(0, depth + (event == "call") - (event == "return"))
        if event != "call" or self._switch[0] != ON or depth:
            return
        # Bodies of classes are no functions, and lambdas and comprehensions have no names.
        _, is_lear, file = code.co_filename.rpartition("/lear/")
        if is_lear and code.co_flags & inspect.CO_OPTIMIZED and code.co_name[0] != "<":
            self.functions.add((file, code.co_qualname, code.co_firstlineno))
            self.switches += file != self._last
            self._last = file

    def figures(self) -> Figures:
        """Return what was counted."""
        modules = [name for name in sys.modules if name.split(".")[0] == "lear"]
        return {"functions": sorted(self.functions), "switches": self.switches, "modules": modules}


def command() -> Figures:
    """Walk through a whole command."""
    return _traced(lambda: _lear("parse", "geo", SENTENCE))


def answer() -> Figures:
    """Walk through an answer and its probability, with a model that was loaded before."""
    import lear

    parser = lear.Parser.from_pretrained("geo")
    return _traced(lambda: parser(SENTENCE).probability)


def _traced(walk: Callable[[], object]) -> Figures:
    tracer = Tracer()
    sys.setprofile(tracer)
    walk()
    sys.setprofile(None)
    return tracer.figures()


def step(recipe: str) -> Figures:
    """Walk through a step that meets its rows again, from new gradients to changed weights."""
    from torch.optim import Optimizer
    from torch.optim.optimizer import register_optimizer_step_post_hook

    tracer, steps, zero_grad = Tracer(), 0, Optimizer.zero_grad

    def begin(self: Optimizer, set_to_none: bool = True) -> None:  # noqa: FBT001, FBT002
        nonlocal steps
        zero_grad(self, set_to_none)
        steps += 1
        sys.setprofile(tracer if steps == STEP else None)

    Optimizer.zero_grad = begin  # type: ignore[method-assign]
    register_optimizer_step_post_hook(lambda *_: sys.setprofile(None))
    with tempfile.TemporaryDirectory() as folder:
        _lear("train", *SMALL, "--recipe", recipe, "--output", f"{folder}/run")
    return tracer.figures()


def request() -> Figures:
    """Walk through a request, in all processes of the service together."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "switch").write_bytes(bytes([OFF]))
        (Path(folder) / "sitecustomize.py").write_text("import walks; walks.follow()\n")
        switch = _switch(Path(folder))
        here, path = str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")
        with subprocess.Popen(
            [sys.executable, "-m", "lear", "serve", "geo", "--port", "0"],
            stdout=subprocess.PIPE,
            env=os.environ | {FOLDER: folder, "PYTHONPATH": os.pathsep.join((folder, here, path))},
        ) as process:
            assert process.stdout is not None  # a pipe
            address = process.stdout.readline().split()[-1].decode().rstrip("/")
            for sentence in (EARLIER, SENTENCE):
                switch[0] = ON if sentence == SENTENCE else OFF
                body = json.dumps({"model": "geo", "texts": [sentence]}).encode()
                headers = {"Content-Type": "application/json"}
                asked = urllib.request.Request(f"{address}/api/parse", body, headers)
                urllib.request.urlopen(asked).close()
            switch[0] = WRITE
            time.sleep(2)
            process.terminate()
        found = [json.loads(path.read_bytes()) for path in Path(folder).glob("*.json")]
    functions = [function for figures in found for function in figures["functions"]]
    modules = {name for figures in found for name in figures["modules"]}
    switches = sum(figures["switches"] for figures in found)
    return {"functions": functions, "switches": switches, "modules": modules}


def follow() -> None:
    """Trace this process of a service, and its forks, while the switch in the folder is on."""
    folder = Path(os.environ[FOLDER])
    switch = _switch(folder)
    tracer = Tracer(switch)

    def write() -> None:
        while switch[0] != WRITE:
            time.sleep(0.1)
        if tracer.functions:
            (folder / f"{os.getpid()}.json").write_text(json.dumps(tracer.figures()))

    def begin() -> None:
        threading.Thread(target=write, daemon=True).start()

    os.register_at_fork(after_in_child=begin)
    begin()
    threading.setprofile(tracer)
    sys.setprofile(tracer)


def _switch(folder: Path) -> mmap.mmap:
    """Return the byte that all processes of a service look at."""
    with (folder / "switch").open("r+b") as stream:
        return mmap.mmap(stream.fileno(), 1)


def _lear(*arguments: str) -> None:
    from lear.__main__ import main

    with redirect_stdout(sys.stderr):
        assert main(list(arguments)) == 0


WALKS: dict[str, tuple[str, Callable[[], Figures]]] = {
    "command": ("`lear parse geo ...`, the whole command", command),
    "answer": ("the answer alone, with its probability", answer),
    "exact": ("one exact training step", partial(step, "best")),
    "reinforce": ("one REINFORCE step", partial(step, "paper")),
    "request": ("`POST /api/parse`", request),
}


def main() -> None:
    """Run each walk in a process of its own, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("walks", nargs="*", metavar="WALK", help=", ".join(WALKS))
    parser.add_argument("--here", action="store_true", help="one walk, in this process, as JSON")
    options = parser.parse_args()
    if options.here:
        json.dump(WALKS[options.walks[0]][1](), sys.stdout, default=list)
        return
    print("| walk | files | functions | switches between files | modules imported |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name in options.walks or WALKS:
        command = [sys.executable, __file__, name, "--here"]
        found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        functions = {tuple(function) for function in found["functions"]}
        figures = len({f for f, *_ in functions}), len(functions), found["switches"]
        cells = [WALKS[name][0], *(f"{n:,}" for n in (*figures, len(found["modules"])))]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
