"""New models of total algebras, which are decoded greedily: not good, but whole."""

from lear.learning.run import make_learner
from lear.model.model_file import Model, ModelHeader
from tests.support.runs import POLICY, config
from tests.support.small_domains import SmallDomain

SETTINGS = {
    "paper": config(
        **POLICY,
        model__algebra='"total"',
        model__merging='"free"',
        model__units='"found"',
        model__leaf_symbols='"typed"',
        model__nothing='"interpreter"',
        model__initialisation='"orthogonal"',
        model__nonterminals="4",
    ),
    "any": config(
        **POLICY,
        model__algebra='"total"',
        model__merging='"free"',
        model__units='"found"',
        model__legality='"any"',
    ),
}


def model_of(small: SmallDomain, said: str) -> Model:
    """A new model: not good, but whole."""
    settings = SETTINGS[said]
    learner = make_learner(settings, small.domain, small.lexicon, small.rows)
    header = ModelHeader(
        small.domain.name,
        settings.model,
        learner.network.vocabulary,
        "greedy",
        (),
        {},
        learner.attested,
    )
    return Model(header, small.lexicon, learner.network.weights())
