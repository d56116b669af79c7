"""A word never seen may have a category that no unit of the lexicon has: nothing is lost then."""

from dataclasses import replace

import pytest
import torch

from lear.algebra.algebra import Primitive
from lear.answering.decoders import ChartDecoder
from lear.benchmark import Example
from lear.domains.toy import TOY
from lear.grammar.reading import SentenceReader
from lear.learning.exact import make_problems
from lear.lexicon.lexicon import Lexicon, Unit
from lear.model.config import ModelConfig, Vocabulary
from lear.model.network import Network
from tests.support.forward import forward_of

ROW = Example(("Tom", "sees", "the", "7"), "see ( tom , girl )", "", "test:1")


@pytest.fixture
def reader() -> SentenceReader:
    """A language in which numbers are girls, and a lexicon without any word of their type."""
    words = replace(
        TOY.words, unknown=lambda word: (Primitive("Kind", "girl"),) if word.isdigit() else ()
    )
    entries: dict[tuple[Unit, Primitive], int] = {
        (("Tom",), Primitive("Person", "tom")): 1,
        (("sees",), Primitive("Action", "see")): 1,
    }
    lexicon = Lexicon.from_counts("toy", entries, {"the": 1})
    return SentenceReader(replace(TOY, words=words), lexicon)


@pytest.mark.parametrize("seed", range(5))
def test_the_rules_in_use_come_first_for_categories_of_unknown_words_too(
    reader: SentenceReader, seed: int
) -> None:
    rules = tuple(make_problems(reader, [ROW], contrast="attested").grammar.rules)
    torch.manual_seed(seed)
    symbols = make_problems(reader, [ROW], contrast="legal").symbols
    network = Network(ModelConfig(hidden=8), Vocabulary.of(reader, symbols))
    decoder = ChartDecoder(forward_of(network), reader.categories, rules)
    reading = reader.read(ROW.tokens)
    (decoded,) = decoder.best_of_each([reading], overlook=False)
    assert decoded.program is not None
    # Others may score better, such as `take_agent`; but these are the rules that training uses.
    operations = {at.label for at in decoded.program.instructions if at.arity}
    assert operations == {rule.operation for rule in rules}
