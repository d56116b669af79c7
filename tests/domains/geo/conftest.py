"""GeoQuery's files where LEAR_DATA has them, and a small country that is always there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lear.domains.geo.facts import Facts, read_facts
from lear.domains.geo.interpreter import Answer, Interpreter
from lear.domains.geo.program import read_program

Run = Callable[[str], Answer]

SMALL_COUNTRY = """\
# Two states that border each other, and an island.
state('north','no','upton',2000,100,1,'upton','twin','a','b').
state('south','so','downton',3000.5e+3,100,2,'twin','c','d','e').
state('isle','is','port',10,1,3,'port','f','g','h').
city('north','no','upton',900).
city('north','no','twin',150001).
city('south','so','twin',150000).
river('long',751,['north','south']).
river('short',750,['south','south']).
border('north','no',['south']).
border('south','so',['north']).
border('isle','is',[]).
highlow('north','no','peak',300,'sea',0).
highlow('south','so','hill',200,'pit',-5).
highlow('isle','is','dune',20,'sea',0).
mountain('north','no','big peak',300).
mountain('north','no','second',250).
lake('puddle',7,['north','isle']).
road('1',['north','south']).
country('land',3002510,201).
"""


@pytest.fixture(scope="session")
def geo_folder(geo_data: Path) -> Path:
    """The folder of GeoQuery."""
    return geo_data / "geo"


@pytest.fixture(scope="session")
def facts(geo_folder: Path) -> Facts:
    return read_facts(geo_folder / "geobase/geobase")


@pytest.fixture(scope="session")
def interpreter(facts: Facts) -> Interpreter:
    return Interpreter(facts)


@pytest.fixture(scope="session")
def ask(interpreter: Interpreter) -> Run:
    """The answer to what stands inside of answer(...), on Geobase."""
    return lambda text: interpreter.run(read_program(f"answer({text})"))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Interpreter:
    path = tmp_path_factory.mktemp("small") / "facts"
    path.write_text(SMALL_COUNTRY)
    return Interpreter(read_facts(path))


@pytest.fixture(scope="session")
def ask_small(small: Interpreter) -> Run:
    """The same as `ask`, on the small country."""
    return lambda text: small.run(read_program(f"answer({text})"))
