"""Terms of the toy language read back as they print; what is none is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import MeaningTable
from lear.benchmark import PARTS, Example
from lear.domains.toy import TOY, generate
from lear.errors import FormError


@given(st.sampled_from([row for part in PARTS for row in generate(part, seed=2)]))
def test_forms_read_back_as_they_print(row: Example) -> None:
    table = MeaningTable(TOY.language.algebra)
    meaning = TOY.language.read_gold(row, table)
    assert TOY.language.render(meaning) == row.form
    assert TOY.language.read(TOY.language.render(meaning), (), table) is meaning
    assert TOY.language.algebra.is_complete(meaning)


@pytest.mark.parametrize(
    "form",
    [
        "",
        "tom",
        "teach",
        "teach ( tom )",
        "teach ( tom , mary",
        "teach ( tom , mary ) )",
        "teach ( tom , fly )",
        "know ( tom , mary )",
        "teach ( tom , teach ( tom , mary ) )",
        "daughter ( tom , mary )",
        ") ( ,",
    ],
)
def test_what_is_not_a_proposition_is_refused(form: str) -> None:
    with pytest.raises(FormError):
        TOY.language.read(form, (), MeaningTable(TOY.language.algebra))
