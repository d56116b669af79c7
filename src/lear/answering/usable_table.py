"""The legal table of a model: whether it still fits its domain, and working it out to be saved."""

from dataclasses import replace

from lear.domain import Domain
from lear.errors import DataError
from lear.forest.legal_closure import LegalClosure
from lear.forest.legal_table import categories_of
from lear.forest.legal_table_check import fingerprint_of_code, is_up_to_date, still_holds
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import SentenceReader
from lear.messages import note
from lear.model.model_file import Model


def with_usable_table(model: Model, domain: Domain) -> Model:
    """The model, without its table if the domain's types have changed since it was made."""
    table = model.legal
    if table is None or is_up_to_date(table, domain):
        return model
    categories, _ = _categories_and_leaves(model, domain)
    if still_holds(table, categories, model.header.vocabulary.symbols):
        return model
    note(
        f"domain {domain.name!r} has changed since the model was made: parsing does without what "
        "the model stores of its grammar, and is slower, until the model is saved anew"
    )
    return replace(model, legal=None)


def with_new_table(model: Model, domain: Domain) -> Model:
    """The model as it is saved: with a table of the domain as it is, where that is of use.

    It is of none where few rules are tried at first.
    """
    header = model.header
    if header.decoding == "greedy" or header.config.search == "used":
        return model
    if model.legal is not None and is_up_to_date(model.legal, domain):
        return model
    model = replace(model, legal=None)
    categories, leaves = _categories_and_leaves(model, domain)
    table = LegalClosure(categories, sorted(leaves), header.vocabulary.symbols).table()
    if table is None:  # it would be too large
        return model
    return replace(model, legal=replace(table, code=fingerprint_of_code(domain)))


def _categories_and_leaves(model: Model, domain: Domain) -> tuple[CategoryTable, set[int]]:
    """What is legal for a model, and the categories of units, of which all others are built."""
    header = model.header
    categories = categories_of(domain, model.legal, header.vocabulary.symbols)
    may_be_nothing = header.config.nothing == "interpreter"
    reader = SentenceReader(domain, model.lexicon, categories, may_be_nothing=may_be_nothing)
    try:
        leaves = reader.leaf_categories()
    except LookupError as error:
        reason = f"its lexicon does not fit domain {domain.name!r}: {error}"
        raise DataError(f"not a model to be used: {reason}") from None
    by_types = header.config.legality != "any"
    return categories.restricted(header.attested, by_types=by_types), leaves
