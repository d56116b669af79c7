"""Types are worked out from forms."""

from pathlib import Path

import pytest

from lear.domains.terms.form_text import Notation
from lear.domains.terms.type_review import doubts
from lear.domains.terms.types import TypeTable, infer_types
from lear.domains.terms.types_file import read_types, to_toml
from lear.errors import DataError


def types_of(*forms: str) -> TypeTable:
    return infer_types([Notation().read(form) for form in forms])


def test_what_stands_in_one_place_has_one_type() -> None:
    types = types_of("on(light)", "on(fan)", "go(left)", "go(right)")
    assert types.constants["light"] == types.constants["fan"]
    assert types.constants["left"] == types.constants["right"] != types.constants["fan"]
    assert types.symbols["on"].result == types.symbols["go"].result == types.root


def test_optional_arguments_are_extras_behind_the_places_that_are_always_filled() -> None:
    types = types_of("book(call)", "book(lunch, with(ann))", "book(call, with(bob), at(9:00))")
    entry = types.symbols["book"]
    assert entry.places == (types.constants["call"],)
    assert set(entry.extras) == {types.symbols["with"].result, types.symbols["at"].result}


def test_a_list_has_no_place_of_its_own() -> None:
    types = types_of("list(a(x))", "list(a(x), a(y))", "list(a(x), a(y), b)")
    assert types.symbols["list"].places == ()


def test_a_symbol_that_fits_anywhere_is_looked_through() -> None:
    plain = ["on(light)", "on(fan)", "go(left)", "go(right)"]
    mixed = [*plain, "on(both(light, fan))", "go(both(left, right))"]
    types = types_of(*mixed)
    assert types.symbols["both"].is_transparent
    assert types.constants["left"] != types.constants["light"]
    # Within one type there is nothing to look through.
    assert not types_of(*plain, "on(both(light, fan))").symbols["both"].is_transparent


def test_literals_have_a_type_by_their_shape() -> None:
    types = types_of("dim(light, 30)", "dim(fan, 40)")
    assert types.literals == {"number": types.symbols["dim"].places[1]}


def test_types_are_read_as_they_were_printed(tmp_path: Path) -> None:
    types = types_of("book(call)", "book(lunch, with(ann))", "dim(light, 30)")
    path = tmp_path / "types.toml"
    path.write_text(to_toml(types))
    assert read_types(path) == types


@pytest.mark.parametrize(
    "text", ["root = 1", "x = [", 'root = ""\nsymbols = 3', "a = " + "[" * 9999]
)
def test_files_that_are_no_types_are_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "types.toml"
    path.write_text(text)
    with pytest.raises(DataError, match=r"types\.toml: not a file of types"):
        read_types(path)


def test_types_that_look_wrong_are_told() -> None:
    (doubt,) = doubts(types_of("at(9:00)", "at(noon)", "on(monday)"))
    assert "times and names stand in the same places (noon)" in doubt
    functions = [f"f{number}(f{number + 1}(x))" for number in range(12)]
    (doubt,) = doubts(types_of(*functions))
    assert "functions give this one type" in doubt
    assert doubts(types_of("on(light)", "go(left)", "dim(light, 30)")) == []
