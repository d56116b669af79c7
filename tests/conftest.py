"""Fixtures: the toy language always, the benchmarks where LEAR_DATA has them."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from lear.benchmark import Example
from lear.domains import registry
from lear.domains.cfq.domain import CFQ
from lear.domains.cogs import domain as cogs_corpus
from lear.domains.cogs.domain import COGS
from lear.domains.toy import TOY
from lear.forest.oracle import Oracle
from tests.support.ambiguity import ambiguous
from tests.support.toy_rows import TRAIN

# A background job is started with Ctrl-C ignored, and so would be all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Before torch is loaded. Tensors are small, and several tests run at once.
os.environ.setdefault("OMP_NUM_THREADS", "1")
settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("ci")

DATA_FIXTURES = {"data_folder", "slog_folder", "cfq_folder", "geo_data"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that needs benchmark files must say so with the mark `data`."""
    for item in items:
        needs_data = DATA_FIXTURES.intersection(getattr(item, "fixturenames", ()))
        if needs_data and item.get_closest_marker("data") is None:
            raise pytest.UsageError(f"{item.nodeid} needs benchmark files: mark it with `data`")


def folder_with(file: str, what: str) -> Path:
    """The benchmark folder; without this file in it the test is skipped, and says why."""
    named = os.environ.get("LEAR_DATA")
    if not named or not (Path(named) / file).is_file():
        pytest.skip(f"needs the {what} files: set LEAR_DATA")
    return Path(named)


@pytest.fixture(autouse=True)
def forget_registered_domains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Domains that a test registers, or reads from a file, are gone after it."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    monkeypatch.setattr(registry, "_from_files", set(registry._from_files))


@pytest.fixture(autouse=True)
def leave_signals_alone() -> Iterator[None]:
    """A test that leaves a handler behind fails itself, not whichever test presses Ctrl-C next."""
    yield
    left = signal.signal(signal.SIGINT, signal.default_int_handler)
    assert left is signal.default_int_handler, f"the test left {left} to handle Ctrl-C"


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The benchmark folder, with COGS in it."""
    return folder_with("cogs/train.tsv", "COGS")


@pytest.fixture(scope="session")
def slog_folder() -> Path:
    """The benchmark folder, with SLOG in it."""
    return folder_with("slog/train.tsv", "SLOG")


@pytest.fixture(scope="session")
def cfq_folder() -> Path:
    """The benchmark folder, with CFQ in it."""
    return folder_with("cfq/mcd1/train/train_encode.txt", "CFQ")


@pytest.fixture(scope="session")
def geo_data() -> Path:
    """The benchmark folder, with GeoQuery in it."""
    return folder_with("geo/geobase/geobase", "GeoQuery")


@pytest.fixture(scope="session")
def cogs_train(data_folder: Path) -> list[Example]:
    return cogs_corpus.read_rows(data_folder / "cogs/train.tsv")


@pytest.fixture(scope="session")
def cogs_oracle(cogs_train: list[Example]) -> Oracle:
    return Oracle.of(COGS, COGS.words.induce(cogs_train, ()))


@pytest.fixture(scope="session")
def cfq_train(cfq_folder: Path) -> list[Example]:
    """The first rows of MCD1's training part: enough for the whole lexicon."""
    benchmark = CFQ.corpus.benchmarks[0]
    rows = CFQ.corpus.load(benchmark, "train", lambda file: cfq_folder / file.path)
    return rows[:6000]


@pytest.fixture(scope="session")
def cfq_oracle(cfq_train: list[Example]) -> Oracle:
    return Oracle.of(CFQ, CFQ.words.induce(cfq_train, ()))


@pytest.fixture(scope="session")
def toy_oracle() -> Oracle:
    return Oracle.of(TOY, TOY.words.induce(TRAIN, ()))


@pytest.fixture(scope="session")
def ambiguous_oracle(toy_oracle: Oracle) -> Oracle:
    return Oracle.of(TOY, ambiguous(toy_oracle.lexicon))
