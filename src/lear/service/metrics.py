"""What a service counts, as the text that Prometheus reads."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable

PREFIX = "lear_"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SIZES = (1, 2, 4, 8, 16, 32)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Histogram:
    """How many values are at most as large as each bound."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str) -> Iterable[str]:
        """The lines of this histogram."""
        running = 0
        for bound, count in zip((*self.bounds, "+Inf"), self.counts, strict=True):
            running += count
            yield f'{name}_bucket{{le="{bound}"}} {running}'
        yield f"{name}_sum {self.total:.6f}"
        yield f"{name}_count {running}"


class Metrics:
    """Counters of one service."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        """By route and status."""
        self.texts: Counter[str] = Counter()
        """Sentences by model."""
        self.parse_seconds = Histogram(SECONDS)
        """From a request's first byte to the end of its answer."""
        self.batch_sizes = Histogram(SIZES)
        """Requests that were worked on together."""
        self.workers_replaced = 0

    def text(self, gauges: dict[str, float]) -> str:
        """All of it, with gauges that the caller knows."""
        lines: list[str] = []

        def add(name: str, kind: str, help_text: str, values: Iterable[str]) -> None:
            lines.extend((f"# HELP {PREFIX}{name} {help_text}", f"# TYPE {PREFIX}{name} {kind}"))
            lines.extend(values)

        add(
            "requests_total",
            "counter",
            "Requests by route and status.",
            (
                f'{PREFIX}requests_total{{route="{route}",status="{status}"}} {count}'
                for (route, status), count in sorted(self.requests.items())
            ),
        )
        add(
            "texts_total",
            "counter",
            "Sentences by model.",
            (
                f'{PREFIX}texts_total{{model="{model}"}} {count}'
                for model, count in sorted(self.texts.items())
            ),
        )
        add(
            "parse_seconds",
            "histogram",
            "Seconds that answers to /api/parse took.",
            self.parse_seconds.lines(f"{PREFIX}parse_seconds"),
        )
        add(
            "batch_size",
            "histogram",
            "Requests that a worker was given at once.",
            self.batch_sizes.lines(f"{PREFIX}batch_size"),
        )
        replaced = f"{PREFIX}workers_replaced_total {self.workers_replaced}"
        add("workers_replaced_total", "counter", "Workers that died or were ended.", [replaced])
        for name, value in gauges.items():
            help_text = f"{name.replace('_', ' ').capitalize()} now."
            add(name, "gauge", help_text, [f"{PREFIX}{name} {value:g}"])
        return "\n".join(lines) + "\n"
