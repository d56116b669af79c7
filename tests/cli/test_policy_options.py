"""One policy for unknown words and for unsure answers: in Python, `lear parse`, `lear predict`."""

import json
from pathlib import Path

import pytest

import lear as package
from lear.algebra.derivations import from_json
from tests.support.cli import Capture, fails, lear

SENTENCES = {
    "geo": (
        "What is the capital of Texas?",
        "qqqqqq what is the capital of texas",
        "what is the population of pensylvania",
        "what is the popular of texas",
        "capital capital population",
        "who is the mayor of springfield",
        "so what rivers are in ohio",
    ),
    "cogs": ("Emma slept.", "Zoe saw a zebra.", "was was was", "slept Emma"),
    "cfq": ("Did M0 direct M1?", "Did Spielberg direct M1", "Did M0 direct"),
}
POLICIES = [
    ("refuse", 0.0),
    ("overlook", 0.0),
    ("refuse", 0.9),
    ("overlook", 0.9),
]


@pytest.mark.parametrize("name", SENTENCES)
@pytest.mark.parametrize(("unknown_words", "min_probability"), POLICIES)
def test_the_same_sentence_has_the_same_answer_everywhere(
    capsys: Capture, tmp_path: Path, name: str, unknown_words: str, min_probability: float
) -> None:
    parser = package.Parser.from_pretrained(
        name, unknown_words=unknown_words, min_probability=min_probability
    )
    options = ("--unknown-words", unknown_words, "--min-probability", str(min_probability))
    path = tmp_path / "sentences.txt"
    path.write_text("".join(f"{sentence}\n" for sentence in SENTENCES[name]))
    code, out, err = lear(capsys, "predict", name, "--input", str(path), *options)
    assert (code, err) == (0, "")
    predicted = [json.loads(line) for line in out.splitlines()]
    assert len(predicted) == len(SENTENCES[name])
    for sentence, found in zip(SENTENCES[name], predicted, strict=True):
        expected = parser(sentence)
        code, out, err = lear(capsys, "parse", name, sentence, "--json", *options)
        assert code == (expected.form is None)
        record = json.loads(out)
        if expected.derivation is not None:  # `parse` explains it
            shown = json.dumps(record["derivation"]).encode()
            assert from_json(shown) == expected.derivation
            record["derivation"] = found["derivation"]
        assert rounded(record) == rounded(found) == rounded(expected.to_dict())
        told = [f"lear: {note}" for note in expected.notes]
        if expected.form is None:
            told.append(f"lear: no answer: {expected.reason}")
        assert err.splitlines() == told


def rounded(record: dict[str, object]) -> dict[str, object]:
    """Whether a sentence is alone or in a batch, only the last digits of numbers may differ."""
    return {
        key: round(value, 3) if isinstance(value, float) else value for key, value in record.items()
    }


def test_to_refuse_is_the_default(capsys: Capture) -> None:
    sentence = "qqqqqq what is the capital of texas"
    refused = lear(capsys, "parse", "geo", sentence, "--json")
    assert refused == lear(capsys, "parse", "geo", sentence, "--json", "--unknown-words", "refuse")
    assert refused[0] == 1
    assert package.Parser.from_pretrained("geo").unknown_words == "refuse"


@pytest.mark.parametrize(
    ("option", "excess"),
    [
        ("--max-tokens", "has 6 tokens, more than 5"),
        ("--max-characters", "has 28 characters, more than 5"),
        ("--max-combinations", "no answer among the first 5 combinations"),
    ],
)
def test_limits_are_options(capsys: Capture, tmp_path: Path, option: str, excess: str) -> None:
    sentence = "what is the capital of texas"
    code, out, err = lear(capsys, "parse", "geo", sentence, option, "5")
    assert (code, out) == (1, "")
    assert excess in err
    path = tmp_path / "sentences.txt"
    path.write_text(sentence)
    code, out, err = lear(capsys, "predict", "geo", "--input", str(path), option, "5")
    assert (code, err) == (0, "")
    assert excess in json.loads(out)["reason"]


def test_the_defaults_of_limit_options_are_those_of_python(capsys: Capture) -> None:
    limits = package.Limits()
    sizes = (limits.tokens, limits.characters, limits.combinations)
    names = ("--max-tokens", "--max-characters", "--max-combinations")
    options = [word for pair in zip(names, map(str, sizes), strict=True) for word in pair]
    question = ("parse", "geo", "what is the capital of texas", "--json")
    assert lear(capsys, *question, *options) == lear(capsys, *question)
    assert lear(capsys, "parse", "geo", "x " * (limits.tokens + 1))[0] == 1


@pytest.mark.parametrize("command", ["parse", "predict"])
@pytest.mark.parametrize(
    "options",
    [
        ("--unknown-words", "ignore"),
        ("--min-probability", "2"),
        ("--min-probability", "-1"),
        ("--min-probability", "nan"),
        ("--min-probability", "much"),
        ("--max-tokens", "0"),
        ("--max-characters", "-1"),
        ("--max-combinations", "many"),
        ("--nbest", "0"),
        ("--nbest", "many"),
    ],
)
def test_wrong_values_are_wrong_usage(
    capsys: Capture, command: str, options: tuple[str, str]
) -> None:
    sentence = ("texas",) if command == "parse" else ()
    code, out, err = lear(capsys, command, "geo", *sentence, *options)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert options[0] in err


def test_how_much_is_remembered_changes_no_answer(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "sentences.txt"
    path.write_text("Emma slept .\nA cat ran .\nEmma saw a cat .\n" * 2)
    command = ("predict", "cogs", "--input", str(path))
    usual, few = lear(capsys, *command), lear(capsys, *command, "--max-remembered", "1")
    assert usual[0] == 0
    assert few == usual
    # What was begun with one bound goes on with another one.
    into = (*command, "--output-folder", str(tmp_path / "answers"))
    assert lear(capsys, *into, "--max-remembered", "1")[0] == 0
    assert lear(capsys, *into)[0] == 0
    assert "--max-remembered" in fails(capsys, 2, *command, "--max-remembered", "0")
