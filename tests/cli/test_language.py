"""`lear algebra`, `lear lexicon` and `lear show`: what is inside a language."""

import pytest

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import evaluate, from_json
from lear.domains.cogs.domain import COGS
from lear.domains.toy import TOY
from lear.lexicon.lexicon import Lexicon
from tests.support.cli import FIGURE_1, FIGURE_1_FORM, Capture, fails, in_json, lear


def test_algebra_prints_every_operation(capsys: Capture) -> None:
    (found,) = in_json(capsys, "algebra", "cogs", "--json")
    assert [op["name"] for op in found["operations"]] == list(COGS.language.algebra.by_name)
    _, text, _ = lear(capsys, "algebra", "cogs")
    assert len(text.splitlines()) == 1 + len(COGS.language.algebra.operations)


def test_the_printed_lexicon_reads_back(capsys: Capture) -> None:
    _, out, _ = lear(capsys, "lexicon", "toy", "--json")
    lexicon = Lexicon.from_json(out.encode(), "stdout")
    assert lexicon.units["best", "friend"][0].primitive.symbol == "best_friend"
    _, text, _ = lear(capsys, "lexicon", "toy", "--word", "friend")
    assert [line.split()[0] for line in text.splitlines()] == ["unit", "best", "friend"]


def show(capsys: Capture, sentence: str, form: str, *options: str) -> tuple[int, str, str]:
    return lear(capsys, "show", "toy", sentence, "--gold", form, *options)


def test_show_draws_the_derivation_of_figure_1(capsys: Capture) -> None:
    code, out, _ = show(capsys, FIGURE_1, FIGURE_1_FORM)
    assert code == 0
    assert out.splitlines()[0] == "take_subject"
    assert out.count("possess") == 2
    assert out.splitlines()[-1] == f"=> {FIGURE_1_FORM}"
    _, out, _ = show(capsys, FIGURE_1, FIGURE_1_FORM, "--format", "svg")
    assert out.startswith("<svg ")
    assert out.rstrip().endswith("</svg>")


# Two derivations: "the" and "'s" can be shared out in two ways, and the wrong one is found first.
AMBIGUOUS = ("Mary helps the girl 's sister", "help ( mary , sister ( girl ) )")


def test_show_prints_every_derivation_and_all_evaluate_to_gold(capsys: Capture) -> None:
    _, out, err = show(capsys, *AMBIGUOUS, "--format", "json", "--count", "9")
    derivations = [from_json(line.encode()) for line in out.splitlines()]
    assert "2 derivations" in err
    assert len(set(derivations)) == 2
    for derivation in derivations:
        meaning = evaluate(derivation, MeaningTable(TOY.language.algebra), TOY.words.ground)
        assert TOY.language.render(meaning) == AMBIGUOUS[1]
    code, _, err = show(capsys, *AMBIGUOUS, "--format", "svg", "--count", "2")
    assert code == 2
    assert "one derivation" in err


def test_show_prefers_the_derivation_whose_rules_are_common(capsys: Capture) -> None:
    _, out, _ = show(capsys, *AMBIGUOUS)
    assert 'determine  "the"' in out
    assert 'possess  "\'s"' in out


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
    code, out, _ = show(capsys, sentence, form.strip())
    assert code == 0
    assert out.count("possess") == 250
