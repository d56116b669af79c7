"""GeoQuery's files where LEAR_DATA has them, and a small country that is always there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lear.benchmark import Benchmark, Example
from lear.domains.geo.corpus import QUERY
from lear.domains.geo.domain import GEO
from lear.domains.geo.facts import Facts, read_facts, shipped_facts
from lear.domains.geo.functions import read_program
from lear.domains.geo.interpreter import Interpreter
from lear.forest.oracle import Oracle
from tests.support.small_country import SMALL_COUNTRY, Run


@pytest.fixture(scope="session")
def geo_folder(geo_data: Path) -> Path:
    """The folder of GeoQuery."""
    return geo_data / "geo"


@pytest.fixture(scope="session")
def original_facts(geo_folder: Path) -> Facts:
    """The facts of Geobase's own file."""
    return read_facts(geo_folder / "geobase/geobase")


@pytest.fixture(scope="session")
def interpreter() -> Interpreter:
    """It runs programs on the facts that ship; a test holds these to the original file."""
    return Interpreter(shipped_facts())


@pytest.fixture(scope="session")
def ask(interpreter: Interpreter) -> Run:
    """The answer to what stands inside of answer(...), on Geobase."""
    return lambda text: interpreter.run(read_program(f"answer({text})"))


@pytest.fixture(scope="session")
def small_facts(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """The facts of the small country."""
    path = tmp_path_factory.mktemp("small") / "facts"
    path.write_text(SMALL_COUNTRY)
    return read_facts(path)


@pytest.fixture(scope="session")
def small(small_facts: Facts) -> Interpreter:
    """An interpreter of programs on the small country."""
    return Interpreter(small_facts)


@pytest.fixture(scope="session")
def ask_small(small: Interpreter) -> Run:
    """The same as `ask`, on the small country."""
    return lambda text: small.run(read_program(f"answer({text})"))


@pytest.fixture(scope="session")
def load_geo(geo_data: Path) -> Callable[[Benchmark, str], list[Example]]:
    """The rows of a part of a benchmark."""
    return lambda benchmark, part: GEO.corpus.load(benchmark, part, lambda f: geo_data / f.path)


@pytest.fixture(scope="session")
def query_train(load_geo: Callable[[Benchmark, str], list[Example]]) -> list[Example]:
    """The training rows of the query split, whose names are anonymised."""
    return load_geo(QUERY, "train")


@pytest.fixture(scope="session")
def query_oracle(query_train: list[Example]) -> Oracle:
    return Oracle.of(GEO, GEO.words.induce(query_train, ()))
