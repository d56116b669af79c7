"""Logs: all lines are written in order, and nobody waits for a reader."""

import io
import json
import os

from lear.service.observing import MAX_PENDING, ServiceLog


def test_every_line_is_a_json_object_in_order() -> None:
    stream = io.StringIO()
    log = ServiceLog(stream)
    for number in range(100):
        log.write("something", number=number)
    log.close()
    records = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [record["number"] for record in records] == list(range(100))
    assert {record["event"] for record in records} == {"something"}


def test_a_log_that_nobody_reads_holds_up_nobody() -> None:
    reader, writer = os.pipe()
    log = ServiceLog(os.fdopen(writer, "w"))
    for _ in range(4 * MAX_PENDING):
        log.write("something", text="long enough to fill a pipe " * 4)
    assert log.num_dropped > 0
    log.close(seconds=0.1)
    os.close(reader)
