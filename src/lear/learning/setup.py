"""From settings and rows to a new network and what it learns from."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from lear.benchmark import Example
from lear.domain import Domain
from lear.errors import UsageError
from lear.forest.oracle import Attestation, Oracle
from lear.grammar.categories import AttestedOperation
from lear.grammar.reading import SentenceReader
from lear.learning.config import RunConfig
from lear.learning.exact import ExactObjective, make_problems
from lear.lexicon.lexicon import Lexicon
from lear.messages import SILENT, Tracker, note
from lear.model.config import OTHER, ModelConfig, Vocabulary
from lear.model.network import Network, Objective
from lear.policy.gradient import ReinforceObjective


class Learner(NamedTuple):
    """What training works on."""

    network: Network
    objective: Objective
    attested: tuple[AttestedOperation, ...] | None
    """The legal operations, where `model.legality` is `attested`."""


def make_learner(
    config: RunConfig,
    domain: Domain,
    lexicon: Lexicon,
    examples: Sequence[Example],
    tracker: Tracker = SILENT,
) -> Learner:
    """A new network, and what it learns from. Gold forests are enumerated once, or not at all."""
    if config.extra_rows == "renamed":
        examples = [*examples, *_renamed(config, domain, lexicon, examples)]
    may_be_nothing = config.model.nothing == "interpreter"
    reader = SentenceReader(domain, lexicon, may_be_nothing=may_be_nothing)
    if config.optim.objective == "exact":
        return _exact_learner(config, reader, examples, tracker)
    return _reinforce_learner(config, reader, examples, tracker)


def _renamed(
    config: RunConfig, domain: Domain, lexicon: Lexicon, examples: Sequence[Example]
) -> list[Example]:
    """Copies of training rows with other names; the lexicon knows only the rows themselves."""
    if domain.words.renamed is None:
        raise UsageError(
            f"domain {domain.name!r} has no names of several sorts: extra_rows = 'renamed'"
        )
    copies = list(domain.words.renamed(examples, lexicon, random.Random(config.seed)))
    note(f"{len(copies)} copies of training rows with other names")
    return copies


def _exact_learner(
    config: RunConfig, reader: SentenceReader, examples: Sequence[Example], tracker: Tracker
) -> Learner:
    with tracker.phase("finding all derivations"):
        data = make_problems(
            reader,
            examples,
            config=config.model,
            contrast=config.optim.contrast,
            limit=config.optim.max_problems,
            seed=config.seed,
            tracker=tracker,
        )
    if data.num_unreached:
        note(f"{data.num_unreached} of {data.num_rows} training rows are out of reach, left out")
    network = Network(config.model, Vocabulary.of(reader, data.symbols)).to(config.device)
    objective = ExactObjective(network, data, config.optim.word_dropout)
    return Learner(network, objective, data.attested)


def _reinforce_learner(
    config: RunConfig, reader: SentenceReader, examples: Sequence[Example], tracker: Tracker
) -> Learner:
    symbols = _latent_symbols(config.model, reader)
    attested = None
    if config.model.legality == "attested" or config.model.symbols == "typed":
        with tracker.phase("finding what training rows attest"):
            attestation = Attestation.of(Oracle(reader), examples, tracker)
        if attestation.num_unreached:
            rows = f"{attestation.num_unreached} of {len(examples)} training rows"
            note(f"{rows} are out of reach and attest nothing")
        if config.model.legality == "attested":
            attested = tuple(sorted(attestation.operations))
        if config.model.symbols == "typed":
            symbols = (OTHER, *sorted(attestation.symbols))
    network = Network(config.model, Vocabulary.of(reader, symbols)).to(config.device)
    categories = reader.categories.restricted(attested, by_types=config.model.legality != "any")
    with tracker.phase("reading the training sentences"):
        objective = ReinforceObjective.of(reader, categories, network, examples, config.optim)
    return Learner(network, objective, attested)


def _latent_symbols(config: ModelConfig, reader: SentenceReader) -> tuple[str, ...]:
    """The names of N symbols; where leaves are typed, the first ones are the types of leaves."""
    leaves = reader.leaf_categories() if config.leaf_symbols == "typed" else ()
    types = sorted({reader.categories.argument_symbol(category) for category in leaves})
    if len(types) > config.nonterminals:
        raise UsageError(
            f"leaves have {len(types)} types ({', '.join(types)}), more than "
            f"model.nonterminals = {config.nonterminals}"
        )
    numbers = range(len(types), config.nonterminals)
    return (*types, *(f"N{number}" for number in numbers))
