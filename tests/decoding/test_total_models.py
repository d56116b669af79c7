"""Models of total algebras: saved and loaded they answer the same, and they always answer."""

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from lear.algebra.derivations import to_json
from lear.errors import DataError
from lear.model.model_file import save_model
from lear.parser import Parser
from tests.support.greedy_models import SETTINGS, model_of
from tests.support.total_domains import total_domains


@pytest.mark.parametrize("said", SETTINGS)
@pytest.mark.parametrize("name", total_domains())
def test_a_model_answers_the_same_after_it_was_saved_and_loaded(
    name: str, said: str, tmp_path: Path
) -> None:
    small = total_domains()[name]
    before = Parser(model_of(small, said))
    save_model(tmp_path / "model.safetensors", before.model)
    after = Parser.from_pretrained(tmp_path)
    assert after.model.header == before.model.header
    assert after.domain is small.domain
    for tokens in small.sentences:
        first, second = before.parse(tokens), after.parse(tokens)
        assert first.form == second.form
        assert first.score == second.score
        if first.derivation is not None and second.derivation is not None:
            assert to_json(first.derivation) == to_json(second.derivation)


@pytest.mark.parametrize("name", total_domains())
def test_a_new_model_has_an_answer_wherever_a_word_stands_for_something(name: str) -> None:
    small = total_domains()[name]
    parser = Parser(model_of(small, "any"))  # the Composer cannot take all words for nothing
    for row in small.rows:
        assert parser.parse(row.tokens).form is not None


def test_a_model_of_the_other_algebra_is_refused() -> None:
    model = model_of(total_domains()["cogs"], "paper")
    strict = structs.replace(model.header.config, algebra="strict")
    header = structs.replace(model.header, config=strict)
    with pytest.raises(DataError, match="other operations than domain 'cogs' has now"):
        Parser(replace(model, header=header))
