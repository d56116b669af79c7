"""A domain in one file is used as it is, where somebody names the file, and nowhere else."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lear.cli.arguments import file_of, find_benchmark, find_domain
from lear.domains.registry import load_domain
from lear.errors import UsageError
from lear.parser import Parser
from tests.support.broken_domains import SOUND
from tests.support.cli import Capture, fails, form_in, lear

SECOND = '\nOTHER = Domain("other", *[getattr(TINY, n) for n in ("language", "words")], '
SECOND += 'Corpus((Benchmark("other/a", "A"), Benchmark("other/b", "B")), load), TINY.syntax)\n'
QUICK = ("--curriculum", "[{epochs = 30}]", "--model.hidden", "16", "--dev_every", "30")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.py"
    path.write_text(SOUND)
    return path


@pytest.mark.parametrize(
    "loop", ["while True:\n    pass\n", "while True:\n    try: 1/0\n    except Exception: pass\n"]
)
def test_a_file_that_loops_is_stopped(
    capsys: Capture, file: Path, monkeypatch: pytest.MonkeyPatch, loop: str
) -> None:
    monkeypatch.setattr("lear.domains.registry.MAX_SECONDS", 0.2)
    file.write_text(f"{SOUND}\n{loop}")
    said = fails(capsys, 1, "check", str(file))
    assert "it did not end within 0.2 seconds" in said
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_file_means_its_domain_and_benchmarks(file: Path) -> None:
    assert find_domain(str(file)).name == "tiny"
    assert find_benchmark(f"{file}/rows")[1].name == "tiny/rows"
    file.write_text(SOUND + SECOND)
    for argument, name in (
        (f"{file}:TINY", "tiny/rows"),
        (f"{file}:OTHER", "other/a"),
        (f"{file}:OTHER/b", "other/b"),
    ):
        assert find_benchmark(argument)[1].name == name
    for argument, said in (
        (f"{file}:NONE", "no domain 'NONE'"),
        (f"{file}:OTHER/c", "unknown benchmark 'other/c'"),
        (f"{file}.py", "no such file"),
    ):
        with pytest.raises(UsageError, match=said):
            find_benchmark(argument)


@pytest.mark.parametrize(
    ("argument", "file"),
    [
        ("my.py", "my.py"),
        ("a/b.py/split", "a/b.py"),
        ("a.py/b.py:X/s", "a.py/b.py:X"),
        ("cogs/gen", None),
        ("pyramid", None),
    ],
)
def test_what_is_a_file_is_seen_by_its_name(argument: str, file: str | None) -> None:
    assert file_of(argument) == file


def test_a_file_is_run_once_until_it_changes(file: Path) -> None:
    first = load_domain(file)
    assert load_domain(file) is first
    file.write_text(SOUND + "# changed\n")
    assert load_domain(file) is not first


def test_modules_beside_a_file_can_be_imported(file: Path) -> None:
    (file.parent / "beside_tiny.py").write_text("HERE = 1")
    file.write_text("from beside_tiny import HERE\n" + SOUND)
    assert load_domain(file).name == "tiny"
    assert str(file.parent) not in sys.path


def test_a_name_that_ships_is_not_taken(file: Path) -> None:
    file.write_text(SOUND.replace('"tiny', '"toy'))
    with pytest.raises(UsageError, match="there is another domain 'toy': choose another name"):
        load_domain(file)


@pytest.mark.parametrize(
    "arguments",
    [
        ("coverage", "FILE"),
        ("lexicon", "FILE"),
        ("algebra", "FILE"),
        ("show", "FILE/rows", "double one", "--gold", "double 1"),
        ("data", "check", "FILE"),
        ("data", "list", "FILE:TINY"),
    ],
)
def test_commands_take_files(capsys: Capture, file: Path, arguments: tuple[str, ...]) -> None:
    given = [argument.replace("FILE", str(file)) for argument in arguments]
    assert lear(capsys, *given)[0] == 0


def in_another_process(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lear", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_model_remembers_its_file_but_does_not_run_it(capsys: Capture, file: Path) -> None:
    run, ran = str(file.parent / "run"), file.parent / "ran"
    assert lear(capsys, "train", str(file), "--output", run, *QUICK)[0] == 0
    file.write_text(f"open({str(ran)!r}, 'w').close()\n" + SOUND)
    sentence = "two plus one"
    for arguments, said in (
        (("parse", run, sentence), "is not run unasked: give it as --domain FILE"),
        (("predict", run, "--input", str(file)), "is not run unasked: give it as --domain FILE"),
        (("evaluate", run), f"is not run unasked: `lear evaluate {run} {file}`"),
        (("train", "--resume", "--output", run), f"name it, `lear train {file} ...`"),
        (("train", "--config", f"{run}/config.toml", "--output", f"{run}2"), "not run unasked"),
    ):
        done = in_another_process(*arguments)
        assert done.returncode == 2
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
    assert not ran.exists()
    done = in_another_process("parse", run, sentence, "--domain", str(file))
    assert form_in(done.stdout) == "add 2 1"
    assert ran.exists()
    assert lear(capsys, "evaluate", run, str(file), "--fail-under", "1")[0] == 0
    assert lear(capsys, "train", str(file), "--resume", "--output", run)[0] == 0
    with pytest.raises(UsageError, match="other processes do not run"):
        list(Parser.from_pretrained(run).pipe([sentence], jobs=2))


def test_a_shipped_model_knows_its_benchmark(capsys: Capture) -> None:
    assert "does not say" not in fails(capsys, 2, "evaluate", "nothing")
    assert lear(capsys, "evaluate", "geo", "--limit", "1", "--part", "tset")[0] == 2


@pytest.mark.slow
def test_a_file_that_never_ends_can_be_interrupted(file: Path) -> None:
    started = file.parent / "started"
    file.write_text(f"open({str(started)!r}, 'w').close()\nwhile True:\n    pass\n")
    command = [sys.executable, "-m", "lear", "check", str(file)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ)) as job:
        while not started.exists() and job.poll() is None:
            time.sleep(0.05)
        job.send_signal(signal.SIGINT)
        _, err = job.communicate(timeout=60)
    assert job.returncode == 130
    assert err == "lear: interrupted\n"
