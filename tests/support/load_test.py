"""Load on a service on this machine: `python -m tests.support.load_test --seconds 60`.

Starts `lear serve` with the models that ship, and asks it over a number of connections, each with
one request at a time: COGS and CFQ in turn, one sentence a request. Prints what is measured as one
JSON object. With `--long` one more connection sends sentences of 500 tokens, one after the other.
With LEAR_DATA the sentences are those of the benchmarks' test sets, without it some of our own.
"""

import argparse
import asyncio
import itertools
import json
import os
import random
import sys
import time
from pathlib import Path

from tests.support.service_process import RunningService, children

LONG = "Emma said that " * 165 + "a cat slept ."
"""499 tokens."""
NAMES = ("Emma", "Noah", "Liam", "Olivia")
NOUNS = ("cat", "dog", "girl", "boy", "cake", "rose", "box", "table")
PLACES = ("in", "on", "beside")
VERBS = ("directed", "edited", "wrote", "produced", "influenced", "married")


def own_sentences(count: int, seed: int) -> list[tuple[str, str]]:
    """Model and sentence, of both models in turn."""
    chance = random.Random(seed)
    pick = chance.choice
    rows = []
    for _ in range(count // 2):
        clauses = "".join(f"{pick(NAMES)} said that " for _ in range(chance.randrange(4)))
        places = "".join(f" {pick(PLACES)} the {pick(NOUNS)}" for _ in range(chance.randrange(4)))
        rows.append(("cogs", f"{clauses}a {pick(NOUNS)}{places} was helped by {pick(NAMES)} ."))
        verbs = " and ".join(chance.sample(VERBS, chance.randrange(1, 4)))
        things = " and ".join(f"M{n}" for n in range(1, chance.randrange(2, 5)))
        rows.append(("cfq", f"Which film director that M0 influenced {verbs} {things}"))
    return rows


def benchmark_sentences(folder: Path, count: int, seed: int) -> list[tuple[str, str]]:
    """The same of the benchmarks."""
    from lear.domains.cfq.domain import CFQ
    from lear.domains.cogs.domain import COGS

    chance = random.Random(seed)
    lists = []
    for domain in (COGS, CFQ):
        rows = domain.corpus.load(domain.corpus.benchmarks[0], "test", lambda f: folder / f.path)
        texts = [(domain.name, " ".join(row.tokens)) for row in rows]
        lists.append(chance.sample(texts, min(count // 2, len(texts))))
    return list(itertools.chain.from_iterable(zip(*lists, strict=False)))


def http_request(model: str, text: str, *, derivation: bool) -> bytes:
    """A request as bytes, made once: the client must not be what is measured."""
    fields = {"model": model, "texts": [text], "derivation": derivation}
    body = json.dumps(fields).encode()
    head = (
        "POST /api/parse HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Load:
    """What clients do, and what they see."""

    def __init__(self, service: RunningService, requests: list[bytes], seconds: float) -> None:
        self.service = service
        self.requests = itertools.cycle(requests)
        self.end = time.monotonic() + seconds
        self.times: list[float] = []
        self.long_times: list[float] = []
        self.errors: list[bytes] = []
        self.long_errors: list[bytes] = []
        self.memory: list[tuple[float, float]] = []
        self.halfway = (0, 0.0)
        """Requests and seconds of processors so far, in the middle."""

    async def client(
        self, requests: "itertools.cycle[bytes]", times: list[float], errors: list[bytes]
    ) -> None:
        """One request after the other over one connection."""
        reader, writer = await asyncio.open_connection(
            self.service.host, self.service.port, limit=2**24
        )
        while time.monotonic() < self.end:
            started = time.perf_counter()
            writer.write(next(requests))
            head = await reader.readuntil(b"\r\n\r\n")
            size = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            body = await reader.readexactly(size)
            times.append(time.perf_counter() - started)
            if not head.startswith(b"HTTP/1.1 200"):
                errors.append(body)
        writer.close()

    async def watch_memory(self) -> None:
        """Megabytes of all processes, every second; what they share is counted once."""
        started = time.monotonic()
        middle = (started + self.end) / 2
        while time.monotonic() < self.end:
            if not self.halfway[0] and time.monotonic() > middle:
                self.halfway = (len(self.times), processor_seconds(self.service))
            self.memory.append((time.monotonic() - started, megabytes(self.service)))
            await asyncio.sleep(1)

    async def run(self, connections: int, *, has_long: bool) -> None:
        """All clients at once."""
        clients = [self.client(self.requests, self.times, self.errors) for _ in range(connections)]
        if has_long:
            long = itertools.cycle([http_request("cogs", LONG, derivation=False)])
            clients.append(self.client(long, self.long_times, self.long_errors))
        await asyncio.gather(self.watch_memory(), *clients)


def processes(service: RunningService) -> list[int]:
    """The service, the process that forks, and its workers."""
    others = children(service.process.pid)
    workers = [worker for other in others for worker in children(other)]
    return [service.process.pid, *others, *workers]


def megabytes(service: RunningService) -> float:
    """The memory of a service: of each process its share of what several use."""
    total = 0
    for process in processes(service):
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def processor_seconds(service: RunningService) -> float:
    """What a service has used of processors, whatever else the machine does."""
    stats = [Path(f"/proc/{process}/stat").read_text() for process in processes(service)]
    ticks = [sum(map(int, stat.rpartition(")")[2].split()[11:13])) for stat in stats]
    return sum(ticks) / os.sysconf("SC_CLK_TCK")


def percentile(times: list[float], share: float) -> float:
    """In milliseconds."""
    ordered = sorted(times)
    return round(1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))], 2)


def main(arguments: list[str]) -> int:
    """Print figures; fail if there was any error."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--sentences", type=int, default=2000, help="different ones")
    parser.add_argument("--derivation", action="store_true", help="ask for derivations, too")
    parser.add_argument("--long", action="store_true", help="beside sentences of 500 tokens")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    data = os.environ.get("LEAR_DATA")
    if data:
        rows = benchmark_sentences(Path(data), options.sentences, options.seed)
    else:
        rows = own_sentences(options.sentences, options.seed)
    requests = [http_request(*row, derivation=options.derivation) for row in rows]
    started = time.monotonic()
    service = RunningService()
    ready = time.monotonic() - started
    load = Load(service, requests, options.seconds)
    asyncio.run(load.run(options.connections, has_long=options.long))
    num_later = len(load.times) - load.halfway[0]
    later_seconds = processor_seconds(service) - load.halfway[1]
    first_minute = [memory for at, memory in load.memory if at <= 60]
    figures = {
        "ready_seconds": round(ready, 2),
        "requests": len(load.times),
        "requests_per_second": round(len(load.times) / options.seconds, 1),
        "requests_per_second_in_second_half": round(2 * num_later / options.seconds, 1),
        "processor_ms_per_request_in_second_half": round(1000 * later_seconds / num_later, 3),
        "errors": len(load.errors),
        "p50_ms": percentile(load.times, 0.5),
        "p99_ms": percentile(load.times, 0.99),
        "slowest_ms": percentile(load.times, 1.0),
        "long_requests": len(load.long_times),
        "long_errors": len(load.long_errors),
        "megabytes_after_first_minute": round(first_minute[-1], 1),
        "megabytes_at_the_end": round(load.memory[-1][1], 1),
    }
    service.stop()
    sys.stdout.write(json.dumps(figures) + "\n")
    if load.errors:
        sys.stderr.write(f"the first error: {load.errors[0]!r}\n")
    return 1 if load.errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
