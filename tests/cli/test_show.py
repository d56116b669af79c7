"""`lear show`: derivations of a known form, drawn."""

import pytest

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import evaluate, from_json
from lear.domains.toy import TOY
from tests.support.cli import FIGURE_1, FIGURE_1_FORM, Capture, fails, lear


def test_show_draws_the_derivation_of_figure_1(capsys: Capture) -> None:
    code, out, _ = lear(capsys, "show", "toy", FIGURE_1, "--gold", FIGURE_1_FORM)
    assert code == 0
    assert out.splitlines()[0] == "take_subject"
    assert out.count("possess") == 2
    assert out.splitlines()[-1] == f"=> {FIGURE_1_FORM}"


# Two derivations: "the" and "'s" can be shared out in two ways, and the wrong one is found first.
AMBIGUOUS = ("Mary helps the girl 's sister", "help ( mary , sister ( girl ) )")


def test_show_prints_every_derivation_and_all_evaluate_to_gold(capsys: Capture) -> None:
    sentence, form = AMBIGUOUS
    _, out, err = lear(
        capsys, "show", "toy", sentence, "--gold", form, "--format", "json", "--count", "9"
    )
    derivations = [from_json(line.encode()) for line in out.splitlines()]
    assert "2 derivations" in err
    assert len(set(derivations)) == 2
    for derivation in derivations:
        meaning = evaluate(derivation, MeaningTable(TOY.language.algebra), TOY.words.ground)
        assert TOY.language.render(meaning) == form


def test_show_prefers_the_derivation_whose_rules_are_common(capsys: Capture) -> None:
    sentence, form = AMBIGUOUS
    _, out, _ = lear(capsys, "show", "toy", sentence, "--gold", form)
    assert 'determine  "the"' in out
    assert 'possess  "\'s"' in out


def test_show_draws_one_picture_only(capsys: Capture) -> None:
    sentence, form = AMBIGUOUS
    said = fails(
        capsys, 2, "show", "toy", sentence, "--gold", form, "--format", "svg", "--count", "2"
    )
    assert "one derivation" in said


def test_show_draws_svg(capsys: Capture) -> None:
    _, out, _ = lear(capsys, "show", "toy", FIGURE_1, "--gold", FIGURE_1_FORM, "--format", "svg")
    assert out.startswith("<svg ")
    assert out.rstrip().endswith("</svg>")


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (
            "help ( tom , john )",
            "cannot have this form: no way of putting its words together gives it",
        ),
        ("teach ( tom , ", "--gold: "),
        ("fly ( tom , john )", "unknown symbol 'fly'"),
    ],
)
def test_show_says_why_there_is_no_tree(capsys: Capture, form: str, said: str) -> None:
    assert said in fails(capsys, 1, "show", "toy", FIGURE_1, "--gold", form)


def test_a_500_token_sentence_is_within_the_search_limit(capsys: Capture) -> None:
    sentence = "Tom teaches John" + " 's daughter" * 250
    form = "teach ( tom , " + "daughter ( " * 250 + "john " + ") " * 251
    code, out, _ = lear(capsys, "show", "toy", sentence, "--gold", form.strip())
    assert code == 0
    assert out.count("possess") == 250
