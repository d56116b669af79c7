"""The shipped models of GEO, and running their answers, as a user meets them."""

import io
import json
import shutil
from pathlib import Path

import pytest

import lear as package
from tests.support.cli import Capture, fails, form_in, in_json, lear
from tests.support.small_country import SMALL_COUNTRY

CAPITAL = "answer(capital(loc_2(stateid('texas'))))"


@pytest.fixture
def small_facts(tmp_path: Path) -> str:
    path = tmp_path / "facts"
    path.write_text(SMALL_COUNTRY)
    return str(path)


@pytest.fixture
def no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LEAR_DATA", str(tmp_path / "nothing"))


@pytest.mark.usefixtures("no_data")
def test_questions_are_answered_without_any_data(capsys: Capture) -> None:
    question = "What is the population of the capital of the smallest state?"
    (answer,) = in_json(capsys, "parse", "geo", question, "--execute", "--json")
    assert answer["form"] == "answer(population_1(capital(loc_2(smallest(state(all))))))"
    assert answer["answer"] == [638333]  # Washington, D.C.
    question = "which states border the state with the most rivers"
    (answer,) = in_json(capsys, "parse", "geo", question, "--execute", "--json")
    assert "kansas" in answer["answer"]
    parser = package.Parser.from_pretrained("geo")
    assert parser("what is the capital of texas").denotation == ["austin"]
    _, out, _ = lear(capsys, "parse", "geo-query", "what rivers run through var0")
    assert form_in(out) == "answer(river(traverse_2(var0)))"


def test_facts_of_ones_own_change_the_answer(capsys: Capture, small_facts: str) -> None:
    more = ("--execute", "--store", small_facts)
    assert lear(capsys, "parse", "geo", "what is the longest river", *more)[1].endswith(
        "answer: long\n"
    )
    # A program that fails is no empty answer.
    arguments = ("parse", "geo", "what rivers run through texas", *more)
    code, out, err = lear(capsys, *arguments)
    assert code == 1
    assert form_in(out) == "answer(river(traverse_2(stateid('texas'))))"
    assert err == "lear: the form cannot be run: there is no state 'texas'\n"
    assert in_json(capsys, *arguments, "--json")[0]["error"] == "there is no state 'texas'"


@pytest.mark.parametrize(
    ("question", "cause"),
    [
        ("what rivers are in misisippi", "'misisippi'; did you mean 'mississippi'"),
        ("who is the mayor of springfield", "unknown word 'mayor'; did you mean 'major'"),
        ("xyzzy plugh", "unknown words 'xyzzy', 'plugh'"),
        ("?!", "the sentence has no words"),
    ],
)
def test_unknown_words_are_named(capsys: Capture, question: str, cause: str) -> None:
    assert cause in fails(capsys, 1, "parse", "geo", question)


@pytest.mark.parametrize("name", ["new york", "san antonio", "united states"])
def test_names_of_several_words_are_known(capsys: Capture, name: str) -> None:
    (answer,) = in_json(capsys, "parse", "geo", f"what is the population of {name}", "--json")
    assert answer["form"]
    assert answer.keys().isdisjoint({"repaired", "guessed", "overlooked"})


def test_the_best_answers_are_different_ones(capsys: Capture) -> None:
    answers = in_json(capsys, "parse", "geo", "how big is new york", "--nbest", "3", "--json")
    forms = {answer["form"] for answer in answers}
    assert len(forms) == 3
    names = ("stateid('new york')", "cityid('new york', _)")
    assert {f"answer(size({name}))" for name in names} <= forms


def test_unknown_words_can_be_overlooked(capsys: Capture) -> None:
    arguments = ("parse", "geo", "qqqqqq what is the capital of texas")
    assert "unknown word 'qqqqqq'" in fails(capsys, 1, *arguments)
    code, out, err = lear(capsys, *arguments, "--unknown-words", "overlook", "--json")
    assert (code, err) == (0, "lear: overlooked: 'qqqqqq'\n")
    assert json.loads(out)["form"] == CAPITAL
    assert json.loads(out)["overlooked"] == ["qqqqqq"]


@pytest.mark.parametrize(
    ("word", "read_as"), [("missisippi", "mississippi"), ("sprngfield", "springfield")]
)
def test_clear_misspellings_are_repaired(capsys: Capture, word: str, read_as: str) -> None:
    code, out, err = lear(capsys, "parse", "geo", f"what is the population of {word}", "--json")
    assert (code, err) == (0, f"lear: read {word!r} as {read_as!r}\n")
    assert json.loads(out)["repaired"] == [{"word": word, "read_as": read_as}]


def test_execute_tells_what_is_wrong_with_programs(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, small_facts: str
) -> None:
    expected = {
        "answer(state(next_to_2(stateid('north'))))": ["south"],
        "answer(lake(loc_2(stateid('south'))))": [],
        "answer(longest(state(all)))": "'longest' takes a set of rivers",
        "answer(capital(loc_2(stateid('nort'))))": "there is no state 'nort'; did you mean 'north'",
        "answer(answer(state(all)))": "'answer'",
        "answer(state(all)": "not closed",
    }
    lines = "".join(f"{form}\n" for form in expected)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    code, out, err = lear(capsys, "execute", "geo", "-", "--store", small_facts)
    assert (code, err) == (1, "lear: not run: 4 of the forms\n")
    for row, said in zip(map(json.loads, out.splitlines()), expected.values(), strict=True):
        assert row["answer"] == said if isinstance(said, list) else said in row["error"]


@pytest.mark.usefixtures("no_data")
def test_numbers_have_their_unit_beside_them(capsys: Capture) -> None:
    program = "answer(area_1(stateid('texas')))"
    row = {"form": program, "answer": [266807], "unit": "square miles"}
    assert in_json(capsys, "execute", "geo", program) == [row]
    program = "answer(count(state(all)))"
    assert in_json(capsys, "execute", "geo", program) == [{"form": program, "answer": [51]}]


@pytest.mark.usefixtures("no_data")
def test_gold_answers_are_in_the_data_folder_only(capsys: Capture) -> None:
    message = fails(capsys, 1, "execute", "geo", "--gold")
    assert "answers.jsonl: no such file" in message
    assert "lear data get geo" in message


def test_a_broken_line_of_facts_is_named(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "facts"
    path.write_text(SMALL_COUNTRY.replace("river('long',751,", "river('long',"))
    message = fails(capsys, 1, "execute", "geo", "answer(state(all))", "--store", str(path))
    assert f"{path}:8:" in message


@pytest.mark.data
def test_gold_answers_are_given(capsys: Capture, geo_data: Path) -> None:
    code, out, err = lear(capsys, "execute", "geo", "--gold", "--data", str(geo_data))
    assert code == 0
    assert "870 of 880 gold answers are given" in err
    assert len(out.splitlines()) == 10
    assert "give a form" in fails(capsys, 2, "execute", "geo")
    assert "no gold answers for cfq" in fails(capsys, 2, "execute", "cfq", "--gold")


@pytest.mark.data
def test_evaluation_compares_answers_too(capsys: Capture, geo_data: Path) -> None:
    arguments = ("evaluate", "geo", "geo/standard", "--part", "dev", "--limit", "30", "--json")
    data = ("--data", str(geo_data))
    code, out, _ = lear(capsys, *arguments, *data, "--execute")
    scores = json.loads(out)
    assert code == 0
    assert scores["num_run"] == 30
    assert scores["denotation"] >= scores["exact_match"] > 0.9
    lenient = scores["lenient"]
    code, out, _ = lear(capsys, *arguments, *data, "--skip-step", "fill_all")
    assert json.loads(out)["exact_match"] < scores["exact_match"] <= lenient


def test_finishing_steps_can_be_left_out(capsys: Capture) -> None:
    question = "which state has the most rivers"
    whole = form_in(lear(capsys, "parse", "geo", question)[1])
    assert whole == "answer(most(state(loc_1(river(all)))))"
    arguments = ("parse", "geo", question, "--skip-step")
    without = form_in(lear(capsys, *arguments, "raise_most")[1])
    assert without == "answer(state(loc_1(most(river(all)))))"
    assert "step 'raise'" in fails(capsys, 2, *arguments, "raise")
    assert "no finishing steps" in fails(
        capsys, 2, "parse", "cogs", "Emma slept .", "--skip-step", "fill_all"
    )


ROWS = [
    ("what is the capital of texas", "answer(capital(loc_2(stateid('texas'))))"),
    ("what is the capital of ohio", "answer(capital(loc_2(stateid('ohio'))))"),
    ("name the rivers in texas", "answer(river(loc_2(stateid('texas'))))"),
    ("what rivers are in ohio", "answer(river(loc_2(stateid('ohio'))))"),
    ("what is the longest river", "answer(longest(river(all)))"),
]


@pytest.fixture
def own_split(tmp_path: Path) -> Path:
    """A data folder with the split `geo/mine`, and no Geobase."""
    folder = tmp_path / "data/geo/mine"
    folder.mkdir(parents=True)
    for part in ("train", "dev", "test"):
        for side, column in (("en", 0), ("funql", 1)):
            text = "".join(f"{row[column]}\n" for row in ROWS)
            (folder / f"{part}_{side}.txt").write_text(text)
    return folder


def test_a_split_of_ones_own_is_trained_and_evaluated(capsys: Capture, own_split: Path) -> None:
    data = ("--data", str(own_split.parents[1]))
    run = str(own_split.parents[2] / "run")
    code, _, _ = lear(capsys, "train", "geo/mine", *data, "--output", run)
    assert code == 0
    code, out, _ = lear(capsys, "evaluate", run, "geo/mine", "--json", *data)
    assert code == 0
    assert json.loads(out)["exact_match"] == 1.0
    # The folder may also be called by the name of the split.
    shutil.move(own_split, own_split.with_name("mine_split"))
    assert lear(capsys, "coverage", "geo/mine", *data)[0] == 0


def test_a_row_that_prints_with_other_letters_but_the_same_meaning_is_good(
    capsys: Capture, own_split: Path
) -> None:
    path = own_split / "train_funql.txt"
    path.write_text(path.read_text().replace("longest(river(all))", "longest( river( all ) )"))
    data = ("--data", str(own_split.parents[1]))
    code, out, _ = lear(capsys, "data", "check", "geo/mine", "--json", *data)
    assert code == 0
    assert [(row["altered"], row["changed"]) for row in json.loads(out)["checked"]] == [
        (1, 0),
        (0, 0),
        (0, 0),
    ]
    _, out, _ = lear(capsys, "data", "check", "geo/mine", *data)
    assert out.splitlines()[1].split()[-3:] == ["5", "5", "4"]


def test_what_is_wrong_with_a_split_is_told_with_its_place(
    capsys: Capture, own_split: Path
) -> None:
    data = ("--data", str(own_split.parents[1]))
    path = own_split / "train_funql.txt"
    text = path.read_text()
    path.write_text(text.replace("longest(river(all))", "longest(river(all)"))
    assert f"{path}:5:" in fails(capsys, 1, "coverage", "geo/mine", *data)
    path.write_text("\n".join(text.splitlines()[:-1]) + "\n")
    message = f"{path}: has fewer lines than {own_split / 'train_en.txt'}"
    assert message in fails(capsys, 1, "coverage", "geo/mine", *data)
    missing = fails(capsys, 1, "coverage", "geo/other", *data)
    assert "geo/other/train_en.txt: no such file" in missing
