"""Chart search equals brute force, and its forests hold every derivation once."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.core.algebra import Meaning, MeaningTable
from lear.core.derivation import Derivation, evaluate, walk
from lear.core.lexicon import Lexicon, Primitive
from lear.domain.domain import Domain
from lear.domain.example import Example
from lear.domain.rewards import Target, logic_reward
from lear.domains.cogs.domain import COGS
from lear.domains.toy.corpus import generate
from lear.domains.toy.domain import TOY
from lear.errors import SearchLimitError
from lear.grammar.rules import Rule, RuleCounts, rule_of
from lear.search.chart import Beam, Budget, Edge, Item
from lear.search.forest import Forest
from lear.search.oracle import Oracle
from tests.brute_force import all_derivations

TOY_ROWS = [row for part in ("train", "test") for row in generate(part, seed=1)]
SHORT_TOY_ROWS = [row for row in TOY_ROWS if len(row.tokens) <= 9]


def forest_of(oracle: Oracle, example: Example) -> Forest[Meaning]:
    table = MeaningTable(oracle.domain.language.algebra)
    gold = oracle.domain.language.read_gold(example, table)
    forest = oracle.forest(example.tokens, gold, table)
    assert forest is not None
    return forest


def brute_force(oracle: Oracle, example: Example) -> set[object]:
    """The derivations whose meaning prints as the row's form."""
    domain: Domain = oracle.domain
    table = MeaningTable(domain.language.algebra)
    gold = domain.language.read_gold(example, table)
    return {
        derivation
        for derivation in all_derivations(oracle, example.tokens)
        if evaluate(derivation, table, domain.words.ground) is gold
    }


@given(st.sampled_from(SHORT_TOY_ROWS))
def test_a_forest_holds_exactly_the_derivations_of_brute_force(example: Example) -> None:
    oracle = Oracle.of(TOY, TOY.words.induce(TOY_ROWS[:400]))
    forest = forest_of(oracle, example)
    derivations = forest.derivations(limit=1000)
    assert len(derivations) == len(set(derivations)) == forest.count()
    assert set(derivations) == brute_force(oracle, example)


COGS_LEXICON = Lexicon.from_counts(
    "cogs",
    {
        (("cake",), Primitive("Noun", "cake")): 1,
        (("box",), Primitive("Noun", "box")): 1,
        (("Emma",), Primitive("Name", "Emma")): 1,
        (("Liam",), Primitive("Name", "Liam")): 1,
        (("gave",), Primitive("Verb", "give", "agent theme")): 1,
        (("wanted",), Primitive("Verb", "want", "agent theme")): 1,
        (("sleep",), Primitive("Verb", "sleep", "agent")): 1,
    },
    dict.fromkeys(("a", "A", "the", "The", "in", "by", "to", "was", "that", "."), 1),
)
COGS_ROWS = [
    # Two bare objects.
    (
        "Emma gave Liam a cake .",
        "give . agent ( x _ 1 , Emma ) AND give . recipient ( x _ 1 , Liam ) "
        "AND give . theme ( x _ 1 , x _ 4 ) AND cake ( x _ 4 )",
    ),
    # A modifier inside an object: function words can move from node to node.
    (
        "Emma gave the cake in a box .",
        "* cake ( x _ 3 ) ; give . agent ( x _ 1 , Emma ) AND give . theme ( x _ 1 , x _ 3 ) "
        "AND cake . nmod . in ( x _ 3 , x _ 6 ) AND box ( x _ 6 )",
    ),
    # An infinitive shares its agent.
    (
        "Emma wanted to sleep .",
        "want . agent ( x _ 1 , Emma ) AND want . xcomp ( x _ 1 , x _ 3 ) "
        "AND sleep . agent ( x _ 3 , Emma )",
    ),
    # Unknown words: one name, one noun.
    ("Zoe gave a zebra .", "give . agent ( x _ 1 , Zoe ) AND give . theme ( x _ 1 , x _ 3 ) "
     "AND zebra ( x _ 3 )"),
    ("cake", "LAMBDA a . cake ( a )"),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "form"), COGS_ROWS)
def test_cogs_forests_equal_brute_force_too(sentence: str, form: str) -> None:
    oracle = Oracle.of(COGS, COGS_LEXICON)
    example = Example(tuple(sentence.split()), form, "", "test")
    assert set(forest_of(oracle, example).derivations(1000)) == brute_force(oracle, example)


def test_some_cogs_row_leaves_a_choice_of_syntax() -> None:
    sentence, form = COGS_ROWS[1]
    example = Example(tuple(sentence.split()), form, "", "test")
    assert forest_of(Oracle.of(COGS, COGS_LEXICON), example).count() > 1


@given(st.sampled_from(TOY_ROWS), st.integers(0, 10**6))
def test_best_is_the_maximum_over_all_derivations(example: Example, seed: int) -> None:
    oracle = Oracle.of(TOY, TOY.words.induce(TOY_ROWS[:400]))
    forest = forest_of(oracle, example)

    def weight(name: str, begin: int, end: int) -> float:
        return math.sin(hash((len(name), begin, end, seed)))

    def score(item: Item[Meaning], edge: Edge[Meaning]) -> float:
        name = edge.label if edge.children else ""
        return weight(name, item.begin, item.end)

    def total(derivation: Derivation) -> float:
        return sum(
            weight(getattr(node, "operation", ""), node.begin, node.end)
            for _, node in walk(derivation)
        )

    best = max(map(total, forest.derivations(1000)))
    assert total(forest.best(score)) == pytest.approx(best)
    summed = forest.inside(
        lambda i, e: math.exp(score(i, e)), lambda a, b: a * b, lambda a, b: a + b
    )
    assert summed == pytest.approx(sum(math.exp(total(d)) for d in forest.derivations(1000)))


def test_a_wrong_gold_has_no_forest_and_the_nearest_meaning_is_found(toy_oracle: Oracle) -> None:
    # The verb is wrong, so the best that can be reached shares both people.
    example = Example(("Tom", "teaches", "Mary"), "help ( tom , mary )", "", "test")
    table = MeaningTable(TOY.language.algebra)
    gold = TOY.language.read_gold(example, table)
    assert toy_oracle.forest(example.tokens, gold, table) is None
    nearest = toy_oracle.nearest(example.tokens, gold, table)
    assert nearest is not None
    assert TOY.metrics.primitives(nearest) == {"teach", "tom", "mary"}


def test_the_budget_bounds_any_sentence(cogs_oracle: Oracle) -> None:
    # 500 tokens: with 125 modifiers the number of attachments is astronomical.
    tokens = ("the", "cake", "in", "a", "box", "on") * 83 + ("Emma", ".")
    table = MeaningTable(COGS.language.algebra)
    gold = COGS.language.read("sleep . agent ( x _ 1 , Emma )", ("Emma", "slept"), table)
    oracle = Oracle.of(COGS, cogs_oracle.lexicon, Budget(combinations=5_000))
    with pytest.raises(SearchLimitError, match="500 tokens"):
        oracle.nearest(tokens, gold, table)


@pytest.mark.parametrize("preferred", ["teach ( mary , ? )", "teach ( ? , mary )"])
def test_a_beam_keeps_the_best_meaning_of_a_span(toy_oracle: Oracle, preferred: str) -> None:
    # "teaches Mary" can be read either way without the word "by".
    tokens = ("Tom", "teaches", "Mary")
    table = MeaningTable(TOY.language.algebra)
    beam: Beam[Meaning] = Beam(1, lambda meaning: float(TOY.language.render(meaning) == preferred))
    chart = toy_oracle.search(tokens, table, beam=beam)
    assert [TOY.language.render(item.value) for item in chart.cell(1, 3)] == [preferred]


def test_the_nearest_meaning_is_found_with_a_narrower_beam_where_the_budget_is_small(
    cogs_oracle: Oracle,
) -> None:
    # Gold says "cake" where the sentence says "dog"; the rest can be reached.
    sentence = "Emma saw a dog" + " in a box" * 18 + " ."
    places = range(6, 6 + 3 * 18, 3)
    form = " AND ".join(
        (
            "see . agent ( x _ 1 , Emma ) AND see . theme ( x _ 1 , x _ 3 ) AND cake ( x _ 3 )",
            "cake . nmod . in ( x _ 3 , x _ 6 )",
            *(f"box ( x _ {place} )" for place in places),
            *(f"box . nmod . in ( x _ {place} , x _ {place + 3} )" for place in places[:-1]),
        )
    )
    example = Example(tuple(sentence.split()), form, "", "test")
    table = MeaningTable(COGS.language.algebra)
    gold = COGS.language.read_gold(example, table)
    nearest = cogs_oracle.nearest(example.tokens, gold, table)
    assert nearest is not None
    assert logic_reward(COGS, nearest, Target.of(COGS, gold)) > 0.8


def test_rules_show_operations_with_the_words_around_their_places(toy_oracle: Oracle) -> None:
    # Mary is taught by the girl
    example = Example(
        ("Mary", "is", "taught", "by", "the", "girl"), "teach ( girl , mary )", "", "test"
    )
    forest = forest_of(toy_oracle, example)
    rules = RuleCounts(TOY)
    rules.add(forest, example.tokens)
    assert rules.counts == {
        Rule("take_subject", ("[Person]", "is", "[Passive]")): 1,
        Rule("take_agent", ("[Action]", "by", "[Person]")): 1,
        Rule("determine", ("the", "[Kind]")): 1,
    }
    (root,) = forest.root.edges
    assert rules.score(forest.root, root, example.tokens) == math.log(2)
    assert rules.score(forest.root, Edge("relate", root.children), example.tokens) == 0
    assert str(rule_of(TOY, forest.root, root, example.tokens)) == (
        "[Person] is [Passive]  =>  take_subject"
    )
