"""One service for all tests that leave it as they find it."""

from collections.abc import Iterator

import pytest

from tests.support.service_process import RunningService


@pytest.fixture(scope="session")
def service() -> Iterator[RunningService]:
    """COGS and GEO, with small limits."""
    running = RunningService(
        "cogs", "geo", "--max-body", "200000", "--max-texts", "50", "--max-sending-seconds", "1"
    )
    yield running
    assert running.stop() == 0
