"""Workers and the requests that wait for them: all are answered in turn, whatever workers do."""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

import lear
from lear.service.api import ParseRequest
from lear.service.pool import (
    MAX_TEXTS,
    MAX_WORDS,
    RequestQueue,
    Waiting,
    is_long,
    num_words,
    pieces,
)
from lear.service.workers import Job, LexiconJob, ParseJob, replies
from lear.storage.datasets import shipped_models
from tests.support.load_test import LONG, own_sentences
from tests.support.service_process import SECONDS, HttpAnswer, RunningService, wait_until

TEXTS = [text for model, text in own_sentences(2000, seed=1) if model == "cogs"]
TEN = tuple(f"Emma said that Noah saw the {noun} in the box ." for noun in ("cat", "dog") * 5)
"""An ordinary request: more than eighty words in all."""
SENTENCE = "Emma slept ."
FORMS = ["sleep . agent ( x _ 1 , Emma )"]
NUM_WORKERS = 3
"""Two for short requests, one for long ones."""
CLIENTS = ThreadPoolExecutor(4)
with_processes = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


def job(*texts: str, nbest: int = 1) -> ParseJob:
    return ParseJob(ParseRequest("cogs", list(texts), nbest))


@pytest.mark.parametrize("texts", [TEXTS, TEXTS[:17], [LONG] * 3, ["a"], ["", "", "a"] * 30])
def test_pieces_are_small_and_whole_together(texts: list[str]) -> None:
    found: list[str] = []
    for piece in pieces(job(*texts)):
        assert isinstance(piece, ParseJob)
        assert piece.first == len(found)
        own = piece.asked.texts
        assert len(own) <= MAX_TEXTS
        assert len(own) == 1 or sum(map(num_words, own)) <= MAX_WORDS
        found += own
    assert found == texts


def test_long_requests_are_those_with_much_to_do() -> None:
    def has_long_worker(job: Job) -> bool:
        return is_long(pieces(job))

    assert not has_long_worker(job(*TEN))
    assert not has_long_worker(LexiconJob("cogs", "dog"))
    assert has_long_worker(job(*TEN, nbest=6))
    assert has_long_worker(job(*TEN, "said " * 81))
    assert has_long_worker(job("said?" * 81))
    assert has_long_worker(job(*TEN, *TEN))


def test_a_worker_is_given_only_so_much_at_once() -> None:
    class Alive:
        has_ended = False

    async def batches(sizes: Sequence[int], alone: int) -> list[int]:
        queue, loop = RequestQueue(1, 0, 1.0), asyncio.get_running_loop()
        for number, size in enumerate(sizes):
            reply = loop.create_future()
            queue.put(Waiting(job(*["a"] * size), loop.time() + 60, reply, number == alone))
        left = Waiting(job("a"), loop.time() + 60, loop.create_future(), False)
        left.reply.cancel()  # nobody waits for it
        queue.put(left)
        taken = []
        while len(queue.waiting) > 1:
            taken.append(len(await queue.take(Alive())))  # type: ignore[arg-type]
        return taken

    assert asyncio.run(batches([1, 15, 1, 15, 1, 16, 1, 1, 1], alone=7)) == [2, 2, 1, 1, 1, 1, 1]


def test_replies_are_the_same_in_a_batch_and_alone() -> None:
    parsers = {"cogs": lear.Parser.from_pretrained("cogs")}
    jobs = (
        job("Emma slept ."),
        LexiconJob("cogs", "dog"),
        job("Emma slept .", "A cat saw the dog .", nbest=3),
        job("Emma zorped the cake .", ""),
        ParseJob(ParseRequest("cogs", ["a " * 600]), first=7),
    )
    together = replies(jobs, parsers)
    assert together == [reply for each in jobs for reply in replies([each], parsers)]
    assert [reply.status for reply in together] == [200, 200, 200, 200, 413]
    assert b"texts[7] has 601 tokens" in together[-1].body
    assert [len(reply.results) for reply in together] == [1, 0, 2, 2, 0]


@pytest.fixture(scope="module")
def patient() -> Iterator[RunningService]:
    """One worker for short requests and one for long ones, and much time for them."""
    started = RunningService("cogs", "--workers", "1", "--max-seconds", "50")
    wait_until(lambda: started.metric("lear_workers") == 2)
    yield started
    assert started.stop() == 0


@pytest.mark.slow
def test_many_sentences_are_answered_in_order(patient: RunningService) -> None:
    texts = [TEXTS[number % 7] for number in range(100)]
    texts[50] = LONG
    answer = patient.parse("cogs", *texts, derivation=False)
    assert [result["text"] for result in answer.json["results"]] == texts
    alone = patient.parse("cogs", *TEXTS[:7], derivation=False).json["results"]
    for number, result in enumerate(answer.json["results"]):
        if number != 50:
            assert result["form"] == alone[number % 7]["form"]


@pytest.mark.slow
@with_processes
def test_short_requests_never_wait_for_long_ones(patient: RunningService) -> None:
    (worker,) = long_workers(patient)
    os.kill(worker, signal.SIGSTOP)
    try:
        waiting = under_way(patient, *TEXTS[:20])
        assert patient.parse("cogs", *TEN).status == 200
        assert patient.forms("cogs", SENTENCE) == FORMS
        assert not waiting.done()
    finally:
        os.kill(worker, signal.SIGCONT)
    assert waiting.result(SECONDS).status == 200


@pytest.mark.slow
def test_long_requests_take_turns(patient: RunningService) -> None:
    many = under_way(patient, *TEXTS, nbest=20)
    assert patient.parse("cogs", *TEXTS[:40]).status == 200
    assert not many.done()
    many.result(SECONDS)


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that may be damaged."""
    folder = tmp_path_factory.mktemp("models") / "cogs"
    folder.mkdir()
    shutil.copy(shipped_models()["cogs"], folder)
    return folder


@pytest.fixture(scope="module")
def service(model_folder: Path) -> Iterator[RunningService]:
    """A service that loses patience after three seconds."""
    started = RunningService(f"cogs={model_folder}", "--workers", "2", "--max-seconds", "3")
    yield started
    started.stop()


@pytest.fixture
def running(service: RunningService) -> RunningService:
    """The same with all of its workers."""
    wait_until(lambda: service.metric("lear_workers") == NUM_WORKERS)
    return service


def long_workers(running: RunningService) -> list[int]:
    return [pid for pid in running.workers if os.getpriority(os.PRIO_PROCESS, pid)]


def under_way(running: RunningService, *texts: str, **fields: int) -> Future[HttpAnswer]:
    """The answer to a request that a worker has begun with."""
    before = running.metric("lear_batch_size_count")
    asking = CLIENTS.submit(running.parse, "cogs", *texts, **fields)
    wait_until(lambda: running.metric("lear_batch_size_count") > before)
    return asking


def signal_all(processes: list[int], number: int) -> None:
    for process in processes:
        with suppress(ProcessLookupError):  # the service may have ended it meanwhile
            os.kill(process, number)


@pytest.mark.slow
@with_processes
def test_what_hangs_is_given_up_and_everybody_else_is_answered(running: RunningService) -> None:
    hanging = running.workers
    signal_all(hanging, signal.SIGSTOP)
    answer = under_way(running, SENTENCE).result(SECONDS)
    assert (answer.status, answer.error) == (422, "time_limit")
    signal_all([process for process in hanging if process in running.workers], signal.SIGCONT)
    assert running.forms("cogs", SENTENCE) == FORMS


@pytest.mark.slow
@with_processes
def test_the_time_of_a_request_is_that_of_all_its_pieces(running: RunningService) -> None:
    (worker,) = long_workers(running)
    many = under_way(running, *TEXTS, nbest=20)
    os.kill(worker, signal.SIGSTOP)
    answer = many.result(SECONDS)
    assert (answer.status, answer.error) == (422, "time_limit")
    wait_until(lambda: worker not in running.workers)
    # A busy machine may give its successor little time.
    wait_until(lambda: running.parse("cogs", *TEXTS[:20]).status == 200)


@pytest.mark.slow
@with_processes
def test_a_request_whose_worker_is_killed_is_answered_all_the_same(running: RunningService) -> None:
    workers = running.workers
    signal_all(workers, signal.SIGSTOP)
    asking = under_way(running, SENTENCE)
    signal_all(workers, signal.SIGKILL)
    assert asking.result(SECONDS).json["results"][0]["form"] == FORMS[0]


@pytest.mark.slow
@with_processes
def test_killed_workers_are_replaced(running: RunningService) -> None:
    replaced = running.metric("lear_workers_replaced_total")
    signal_all(running.workers, signal.SIGKILL)
    for _ in range(20):
        assert running.forms("cogs", SENTENCE) == FORMS
    wait_until(lambda: running.metric("lear_workers_replaced_total") >= replaced + NUM_WORKERS)
    wait_until(lambda: len(running.workers) == NUM_WORKERS)


@pytest.mark.slow
@with_processes
def test_models_are_loaded_again_when_the_process_that_has_them_is_killed(
    running: RunningService,
) -> None:
    forking, workers = running.forking, running.workers
    os.kill(forking, signal.SIGKILL)
    assert running.forms("cogs", SENTENCE) == FORMS  # by the workers that there are
    signal_all(workers, signal.SIGKILL)
    wait_until(lambda: running.parse("cogs", SENTENCE).status == 200)
    assert running.forking != forking
    assert running.get("/readyz").status == 200


@pytest.mark.slow
@with_processes
def test_a_damaged_model_file_changes_nothing(running: RunningService, model_folder: Path) -> None:
    (file,) = model_folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    try:
        signal_all(running.workers, signal.SIGKILL)
        assert running.forms("cogs", SENTENCE) == FORMS
        # Without the process that has the models loaded there is one clear error ...
        workers = running.workers
        os.kill(running.forking, signal.SIGKILL)
        signal_all(workers, signal.SIGKILL)
        answer = running.parse("cogs", SENTENCE)
        assert (answer.status, answer.error) == (503, "overloaded")
        assert running.get("/readyz").error == "not_ready"
        assert running.get("/healthz").status == 200
        wait_until(lambda: "no_worker" in running.log)
    finally:
        file.write_bytes(whole)
    # ... and it goes on as soon as the file is whole again.
    wait_until(lambda: running.parse("cogs", SENTENCE).status == 200)


@pytest.mark.slow
@with_processes
def test_a_name_never_answers_from_two_models(running: RunningService, model_folder: Path) -> None:
    (file,) = model_folder.iterdir()
    aside = file.with_suffix(".old")
    card, log = running.get("/api/models/cogs").json, running.log
    file.rename(aside)
    shutil.copy(shipped_models()["geo"], file)
    try:
        (first, *others) = running.workers
        signal_all([running.forking, first], signal.SIGKILL)
        # Those that are left answer; none is made of the other model, and the service says so.
        wait_until(lambda: "another one" in str(running.get("/readyz").json.get("trouble")))
        for _ in range(20):
            assert running.forms("cogs", SENTENCE) == FORMS
        assert running.get("/api/models/cogs").json == card

        def told() -> list[str]:
            new = running.log[len(log) :].splitlines()
            return [line for line in new if "another one" in line]

        wait_until(lambda: bool(told()))
        assert "model 'cogs'" in json.loads(told()[0])["reason"]
        signal_all(others, signal.SIGKILL)
        wait_until(lambda: running.get("/readyz").status == 503)
        assert "another one" in running.get("/readyz").json["error"]["message"]
        assert running.parse("cogs", SENTENCE).error == "overloaded"
        assert len(told()) == 1
    finally:
        aside.rename(file)
    wait_until(lambda: running.parse("cogs", SENTENCE).status == 200)
    wait_until(lambda: running.get("/readyz").json.get("trouble", "") is None)


@pytest.mark.slow
@with_processes
def test_requests_under_way_are_answered_before_the_end() -> None:
    running = RunningService("cogs", "--workers", "2")
    wait_until(lambda: running.metric("lear_workers") == NUM_WORKERS)
    workers = running.workers
    signal_all(workers, signal.SIGSTOP)
    asking = under_way(running, SENTENCE)
    running.process.send_signal(signal.SIGTERM)
    signal_all(workers, signal.SIGCONT)
    assert asking.result(SECONDS).json["results"][0]["form"] == FORMS[0]
    assert running.stop() == 0
    wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


@pytest.mark.slow
@with_processes
def test_no_process_is_left_when_the_service_is_killed() -> None:
    running = RunningService("cogs", "--workers", "2")
    wait_until(lambda: running.metric("lear_workers") == NUM_WORKERS)
    left = [running.forking, *running.workers]
    running.process.kill()
    wait_until(lambda: not any(is_running(process) for process in left))
    running.stop()


def is_running(process: int) -> bool:
    """True if a process is there, and not only waits for somebody to hear of its end."""
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
