"""Requests of many sentences: cut into slices that take turns, and still one answer in order."""

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator

import msgspec
import pytest

from lear.service.frames import LexiconJob, ParseJob, Reply, SizeJob
from lear.service.lanes import Lane, Waiting
from lear.service.slices import MAX_TEXTS, MAX_WORDS, Slice, joined, num_words, slices
from tests.support.load_test import LONG, own_sentences
from tests.support.service_process import RunningService, wait_until

TEXTS = [text for model, text in own_sentences(2000, seed=1) if model == "cogs"]
TEN = tuple(f"Emma said that Noah saw the {noun} in the box ." for noun in ("cat", "dog") * 5)
"""An ordinary request: more than eighty words in all."""
IS_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


def job(*texts: str, nbest: int = 1) -> ParseJob:
    return ParseJob(1, "cogs", list(texts), nbest, False, "refuse", 0.0, True)


@pytest.mark.parametrize("texts", [TEXTS, TEXTS[:17], [LONG] * 3, ["a"], ["", "", "a"] * 30])
def test_slices_are_small_and_whole_together(texts: list[str]) -> None:
    parts, is_long = slices(job(*texts), max_tokens=10**6)
    assert is_long == (len(parts) > 1 or num_words(texts[0]) > 80)
    found: list[str] = []
    for part in parts:
        assert isinstance(part.job, ParseJob)
        assert part.job.first == len(found)
        assert part.num_texts == len(part.job.texts) <= MAX_TEXTS
        assert part.num_texts == 1 or part.num_words <= MAX_WORDS
        found += part.job.texts
    assert found == texts


def test_the_lane_is_that_of_the_longest_sentence_and_of_nbest() -> None:
    def is_long(*texts: str, nbest: int = 1) -> bool:
        return slices(job(*texts, nbest=nbest), 500)[1]

    assert not is_long(*TEN)
    assert is_long(*TEN, nbest=6)
    assert is_long(*TEN, "said " * 81)
    assert is_long("said?" * 81)
    assert not slices(LexiconJob(1, "cogs", "dog"), 500)[1]


def test_sizes_are_looked_at_before_anything_is_done() -> None:
    texts = [*TEXTS[:40], "a-" * 600]
    first, *others = slices(job(*texts), max_tokens=500)[0]
    assert first.job == SizeJob(1, "cogs", [(40, texts[-1])])
    assert sum(part.num_texts for part in others) == len(texts)


def test_joined_replies_are_one() -> None:
    replies = [
        Reply(1, 200, json.dumps({"model": "m", "results": results}).encode())
        for results in ([{"text": "a"}], [{"text": "b"}, {"text": "ü"}])
    ]
    assert joined(replies[:1]) == replies[0]
    body = {"model": "m", "results": [{"text": "a"}, {"text": "b"}, {"text": "ü"}]}
    assert msgspec.json.decode(joined(replies).body) == body


class Alive:
    is_dead = False


def test_a_worker_is_given_only_so_much_at_once() -> None:
    async def batches() -> list[list[int]]:
        lane = Lane(1, is_nice=False)
        future = asyncio.get_running_loop().create_future
        sizes = [(1, 300), (1, 20), (1, 1), (15, 60), (1, 10), (1, 10), (1, 999), (1, 1)]
        for number, (num_texts, words) in enumerate(sizes):
            part = Slice(LexiconJob(number, "cogs", "dog"), num_texts, words)
            lane.put(Waiting(part, future()))
        taken = []
        while lane.queue:
            taken.append([one.slice.job.number for one in await lane.take(Alive())])
        return taken

    assert asyncio.run(batches()) == [[0, 1], [2, 3], [4, 5], [6], [7]]


@pytest.fixture(scope="module")
def running() -> Iterator[RunningService]:
    """One worker for short requests, and one for long ones."""
    started = RunningService("cogs", "--workers", "1", "--max-seconds", "60")
    wait_until(lambda: len(started.workers) == 2)
    yield started
    assert started.stop() == 0


@pytest.mark.slow
def test_many_sentences_are_answered_in_order(running: RunningService) -> None:
    texts = [TEXTS[number % 7] for number in range(100)]
    texts[50] = LONG
    answer = running.parse("cogs", *texts, derivation=False)
    assert [result["text"] for result in answer.json["results"]] == texts
    alone = running.parse("cogs", *TEXTS[:7], derivation=False).json["results"]
    for number, result in enumerate(answer.json["results"]):
        if number != 50:
            assert result["form"] == alone[number % 7]["form"]


@pytest.mark.slow
@IS_LINUX
def test_ordinary_requests_never_wait_for_long_ones(running: RunningService) -> None:
    (long_worker,) = [pid for pid in running.workers if os.getpriority(os.PRIO_PROCESS, pid)]
    os.kill(long_worker, signal.SIGSTOP)
    try:
        assert len(" ".join(TEN).split()) > 80
        assert running.parse("cogs", *TEN).status == 200
        assert running.forms("cogs", "Emma slept .") == ["sleep . agent ( x _ 1 , Emma )"]
    finally:
        os.kill(long_worker, signal.SIGCONT)


@pytest.mark.slow
def test_long_requests_take_turns(running: RunningService) -> None:
    begun = running.metric("lear_batch_size_count")
    hard = threading.Thread(target=running.parse, args=("cogs", *TEXTS), kwargs={"nbest": 20})
    hard.start()
    wait_until(lambda: running.metric("lear_batch_size_count") > begun)
    assert running.parse("cogs", *TEXTS[:40]).status == 200
    assert hard.is_alive()
    hard.join()


@pytest.mark.slow
@IS_LINUX
def test_the_time_of_a_request_is_that_of_all_its_slices() -> None:
    running = RunningService("cogs", "--workers", "1", "--max-seconds", "5")
    try:
        wait_until(lambda: len(running.workers) == 2)
        (worker,) = [pid for pid in running.workers if os.getpriority(os.PRIO_PROCESS, pid)]
        begun = running.metric("lear_batch_size_count")
        answers = []
        asking = threading.Thread(
            target=lambda: answers.append(running.parse("cogs", *TEXTS, nbest=20))
        )
        asking.start()
        wait_until(lambda: running.metric("lear_batch_size_count") > begun + 2)
        os.kill(worker, signal.SIGSTOP)
        asking.join()
        assert (answers[0].status, answers[0].error) == (422, "time_limit")
        # Its worker is replaced, and the next one is answered.
        wait_until(lambda: worker not in running.workers)
        assert running.parse("cogs", *TEXTS[:20]).status == 200
    finally:
        assert running.stop() == 0
