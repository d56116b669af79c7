"""Workers that hang, die or are asked too much: their requests get one answer, and others go on."""

import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from lear.storage.datasets import shipped_models
from tests.support.service_process import HttpAnswer, RunningService, wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc"),
]
SENTENCE = "Emma slept ."
FORMS = ["sleep . agent ( x _ 1 , Emma )"]
NUM_WORKERS = 3
"""Two for short requests, one for long ones."""


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that may be damaged."""
    folder = tmp_path_factory.mktemp("models") / "mine"
    folder.mkdir()
    shutil.copy(shipped_models()["cogs"], folder)
    return folder


@pytest.fixture(scope="module")
def running(model_folder: Path) -> Iterator[RunningService]:
    """A service that loses patience after two seconds."""
    started = RunningService(str(model_folder), "--workers", "2", "--max-seconds", "2")
    wait_until(lambda: len(started.workers) == NUM_WORKERS)
    yield started
    started.stop()


class Asking(threading.Thread):
    """A client that waits for its answer."""

    def __init__(self, ask: Callable[[], HttpAnswer]) -> None:
        super().__init__(daemon=True)
        self.ask = ask
        self.answer: HttpAnswer | None = None
        self.start()

    def run(self) -> None:
        self.answer = self.ask()

    @property
    def result(self) -> HttpAnswer:
        self.join(60)
        assert self.answer is not None
        return self.answer


def under_way(running: RunningService, text: str = SENTENCE) -> Asking:
    """A client whose request a worker has begun with."""
    before = running.metric("lear_batch_size_count")
    asking = Asking(lambda: running.parse("mine", text))
    wait_until(lambda: running.metric("lear_batch_size_count") > before)
    return asking


def signal_all(processes: list[int], number: int) -> None:
    for process in processes:
        with suppress(ProcessLookupError):  # the service may have ended it meanwhile
            os.kill(process, number)


def test_what_hangs_is_given_up_and_everybody_else_is_answered(running: RunningService) -> None:
    hanging = running.workers
    signal_all(hanging, signal.SIGSTOP)
    # It gets another chance among the long requests, whose worker hangs as well.
    asking = under_way(running)
    assert (asking.result.status, asking.result.error) == (422, "time_limit")
    signal_all([process for process in hanging if process in running.workers], signal.SIGCONT)
    assert running.forms("mine", SENTENCE) == FORMS


def test_a_request_whose_worker_is_killed_is_answered_all_the_same(running: RunningService) -> None:
    wait_until(lambda: len(running.workers) == NUM_WORKERS)
    workers = running.workers
    signal_all(workers, signal.SIGSTOP)
    asking = under_way(running)
    signal_all(workers, signal.SIGKILL)
    assert asking.result.status == 200
    assert asking.result.json["results"][0]["form"] == FORMS[0]


def test_killed_workers_are_replaced(running: RunningService) -> None:
    wait_until(lambda: len(running.workers) == NUM_WORKERS)
    replaced = running.metric("lear_workers_replaced_total")
    killed = running.workers
    signal_all(killed, signal.SIGKILL)
    for _ in range(20):
        assert running.forms("mine", SENTENCE) == FORMS
    wait_until(lambda: running.metric("lear_workers_replaced_total") >= replaced + NUM_WORKERS)
    wait_until(lambda: len(running.workers) == NUM_WORKERS)


def test_the_nursery_begins_anew_when_it_is_killed(running: RunningService) -> None:
    nursery, workers = running.forking, running.workers
    os.kill(nursery, signal.SIGKILL)
    assert running.forms("mine", SENTENCE) == FORMS  # by the workers that there are
    signal_all(workers, signal.SIGKILL)

    def answers() -> bool:
        return running.parse("mine", SENTENCE).status == 200

    wait_until(answers)
    assert running.forking != nursery
    assert running.get("/readyz").status == 200


def test_a_damaged_model_file_changes_nothing(running: RunningService, model_folder: Path) -> None:
    (file,) = model_folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    try:
        signal_all(running.workers, signal.SIGKILL)
        assert running.forms("mine", SENTENCE) == FORMS
        # Without the process that has the models loaded there is one clear error ...
        workers = running.workers
        os.kill(running.forking, signal.SIGKILL)
        signal_all(workers, signal.SIGKILL)
        answer = running.parse("mine", SENTENCE)
        assert (answer.status, answer.error) == (503, "overloaded")
        assert running.get("/readyz").error == "not_ready"
        assert running.get("/healthz").status == 200
        wait_until(lambda: "no_worker" in running.log)
    finally:
        file.write_bytes(whole)
    # ... and it goes on as soon as the file is whole again.
    wait_until(lambda: running.parse("mine", SENTENCE).status == 200)


def test_a_name_never_answers_from_two_models(running: RunningService, model_folder: Path) -> None:
    wait_until(lambda: len(running.workers) == NUM_WORKERS)
    (file,) = model_folder.iterdir()
    aside = file.with_suffix(".old")
    card, log = running.get("/api/models/mine").json, running.log
    file.rename(aside)
    shutil.copy(shipped_models()["geo"], file)
    try:
        nursery, (first, *others) = running.forking, running.workers
        os.kill(nursery, signal.SIGKILL)
        os.kill(first, signal.SIGKILL)
        # Those that are left answer; none is made of the other model, and the service says so.
        wait_until(lambda: "another one" in str(running.get("/readyz").json.get("trouble")))
        for _ in range(20):
            assert running.forms("mine", SENTENCE) == FORMS
        assert running.get("/api/models/mine").json == card

        def told() -> list[str]:
            new = running.log[len(log) :].splitlines()
            return [line for line in new if "another one" in line]

        wait_until(lambda: bool(told()))
        assert "model 'mine'" in json.loads(told()[0])["reason"]
        signal_all(others, signal.SIGKILL)
        wait_until(lambda: running.get("/readyz").status == 503)
        assert "another one" in running.get("/readyz").json["error"]["message"]
        assert running.parse("mine", SENTENCE).error == "overloaded"
        assert len(told()) == 1
    finally:
        aside.rename(file)
    wait_until(lambda: running.parse("mine", SENTENCE).status == 200)
    assert running.forms("mine", SENTENCE) == FORMS
    wait_until(lambda: running.get("/readyz").json.get("trouble", "") is None)


def test_requests_under_way_are_answered_before_the_end() -> None:
    running = RunningService("mine=cogs", "--workers", "2")
    wait_until(lambda: len(running.workers) == NUM_WORKERS)
    workers = running.workers
    signal_all(workers, signal.SIGSTOP)
    asking = under_way(running)
    running.process.send_signal(signal.SIGTERM)
    signal_all(workers, signal.SIGCONT)
    assert asking.result.json["results"][0]["form"] == FORMS[0]
    assert running.stop() == 0
    wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


def test_no_process_is_left_when_the_service_is_killed() -> None:
    running = RunningService("mine=cogs", "--workers", "2")
    wait_until(lambda: len(running.workers) == NUM_WORKERS)
    left = [running.forking, *running.workers]
    running.process.kill()
    wait_until(lambda: not any(is_running(process) for process in left))
    running.stop()


def is_running(process: int) -> bool:
    """Whether a process is there, and not only waits for somebody to hear of its end."""
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
