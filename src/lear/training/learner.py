"""From settings and rows to a new network and what it learns from."""

from typing import NamedTuple

from lear.categories import Attested, CategoryTable
from lear.domain import Domain, Example
from lear.lexicon import Lexicon
from lear.messages import note
from lear.model.network import Network
from lear.model.vocabulary import OTHER, Vocabulary
from lear.training.attested import Evidence, gather
from lear.training.config import RunConfig
from lear.training.exact import ExactObjective, prepare
from lear.training.objective import Objective
from lear.training.reinforce import ReinforceObjective


class Learner(NamedTuple):
    """What training works on."""

    network: Network
    objective: Objective
    attested: tuple[Attested, ...] | None
    """What `model.legality = "attested"` allows."""


def make_learner(
    config: RunConfig, domain: Domain, lexicon: Lexicon, examples: list[Example]
) -> Learner:
    """A new network, and what it learns from."""
    is_exact = config.optim.objective == "exact"
    only_attested = config.model.legality == "attested"
    needs_symbols = config.model.symbols == "typed" and not is_exact
    evidence = Evidence((), ())
    if only_attested or needs_symbols:
        evidence = gather(domain, lexicon, examples)
        if evidence.num_silent:
            rows = f"{evidence.num_silent} of {len(examples)} training rows"
            note(f"{rows} are out of reach and attest nothing")
    attested = evidence.steps if only_attested else None
    categories = CategoryTable(domain, attested)
    if not is_exact:
        latent = tuple(f"N{number}" for number in range(config.model.nonterminals))
        symbols = (OTHER, *evidence.symbols) if needs_symbols else latent
        vocabulary = Vocabulary.of(domain, lexicon, symbols)
        network = Network(config.model, vocabulary).to(config.device)
        policy = ReinforceObjective.of(domain, lexicon, categories, network, examples, config.optim)
        return Learner(network, policy, attested)
    data = prepare(
        domain,
        lexicon,
        examples,
        categories,
        config=config.model,
        contrast=config.optim.contrast,
        limit=config.optim.max_problems,
        seed=config.seed,
    )
    if data.num_unreached:
        note(f"{data.num_unreached} of {data.num_rows} training rows are out of reach, left out")
    vocabulary = Vocabulary.of(domain, lexicon, data.symbols)
    network = Network(config.model, vocabulary).to(config.device)
    return Learner(network, ExactObjective(network, data, config.optim.word_dropout), attested)
