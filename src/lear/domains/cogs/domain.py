"""What a grammar sees of COGS meanings, chosen by linguistic argument.

Of the head of a phrase it sees the valency: which arguments a verb has, whether the verb is
unaccusative (its sole argument is then the theme), whether a noun has a modifier. Of an argument it
sees only that it is a noun phrase, a clause or an infinitive, of any size.

The guide of the search: which meanings can occur in a derivation of a given COGS meaning.

Positions make the test exact: a meaning with head position i must agree with what gold says about
i. An argument of it can take nothing more, so it must be the same object as in gold.

What rewards and the lenient metric compare of COGS meanings.

The COGS files: where to get them, and how to read their rows (sentence, form, group).

The COGS domain, put together from its parts.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path

from lear.algebra.algebra import Meaning
from lear.algebra.meanings import parts
from lear.benchmark import Benchmark, Example
from lear.domain import Corpus, Domain, Language, Metrics, Syntax, Words, second_sentence
from lear.domains.cogs import total
from lear.domains.cogs import total as total_lexicon
from lear.domains.cogs.algebra import (
    COGS_ALGEBRA,
    Clause,
    Entity,
    Event,
    Gap,
    InvertedClause,
    Name,
    Noun,
    NounPhrase,
    Objects,
    Pronoun,
    Sentence,
    Verb,
    WhClause,
)
from lear.domains.cogs.forms import LABELS, LONE_NOUN, LONE_VERB, atoms, read, render, render_part
from lear.domains.cogs.heads_algebra import HEADS_ALGEBRA
from lear.domains.cogs.total import TOTAL_ALGEBRA, to_strict
from lear.domains.cogs.words import ground, induce, tokenize, unknown
from lear.errors import DataError
from lear.storage.datasets import DataFile, numbered_lines, refuse_empty

HEADS = {
    "determine_indefinite": 0,
    "determine_definite": 0,
    "modify_in": 0,
    "modify_on": 0,
    "modify_beside": 0,
    "take_objects": 0,
    "take_theme": 0,
    "take_recipient": 0,
    "take_agent": 0,
    "take_clause": 0,
    "take_infinitive": 0,
    "make_infinitive": 0,
    "subject_as_agent": 1,
    "subject_as_theme": 1,
    "subject_as_recipient": 1,
}
"""Operation -> the index of its head; `pair_objects` and `end_sentence` have none."""


def category(meaning: Meaning) -> str:
    """Type and arguments: `Verb`, `Verb+theme`, `Unaccusative+agent`, `Entity+modifier`."""
    if isinstance(meaning, Verb):
        fillers = (
            meaning.agent, meaning.theme, meaning.recipient, meaning.clause, meaning.infinitive,
        )  # fmt: skip
        labels = [
            label for label, filler in zip(LABELS, fillers, strict=True) if filler is not None
        ]
        return "+".join(("Unaccusative" if meaning.frame == "theme" else "Verb", *labels))
    if isinstance(meaning, Entity) and meaning.modifiers:
        return "Entity+modifier"
    return type(meaning).__name__


def argument_symbol(meaning: Meaning) -> str:
    """`NounPhrase` for entities and names, else the type."""
    return "NounPhrase" if isinstance(meaning, Entity | Name) else type(meaning).__name__


def guide(gold: Meaning) -> Callable[[Meaning], bool]:
    """A test that every meaning in every derivation of `gold` passes."""
    inside = parts(gold)
    entities = {part.position: part for part in inside if isinstance(part, Entity)}
    events = {part.position: part for part in inside if isinstance(part, Event)}
    objects = {(event.recipient, event.theme) for event in events.values()}

    def is_part(meaning: Meaning) -> bool:
        match meaning:
            case Entity(position=position):
                target = entities.get(position)
                return (
                    target is not None
                    and target.lemma == meaning.lemma
                    and target.is_definite == meaning.is_definite
                    and target.modifiers[: len(meaning.modifiers)] == meaning.modifiers
                )
            case Verb(position=position):
                event = events.get(position)
                return event is not None and _agrees(meaning, event)
            case Noun(position=position):
                entity = entities.get(position)
                return meaning in inside or (entity is not None and entity.lemma == meaning.lemma)
            case Objects():
                return (meaning.recipient, meaning.theme) in objects
            case Clause(position=position, has_gap=True) | InvertedClause(position=position):
                # In gold it may have the word that stands for its gap.
                event = events.get(position)
                return event is not None and _fillers(meaning) == _fillers(event)
            case Pronoun():
                return any(event.has_gap for event in events.values())
            case _:
                return meaning in inside

    return is_part


def _agrees(verb: Verb, event: Event) -> bool:
    """Whether the arguments that a verb has so far are those of the event in gold."""
    if isinstance(event, Verb):  # gold is a lone verb
        return verb is event
    return verb.lemma == event.lemma and all(
        own is None or own == given
        for own, given in zip(_fillers(verb), _fillers(event), strict=True)
    )


def _fillers(event: Event) -> tuple[object, ...]:
    return event.agent, event.theme, event.recipient, event.clause, event.infinitive


def conjuncts(meaning: Meaning) -> frozenset[Hashable]:
    """The clauses of a meaning, complete or not; a lone word has its form as the only one."""
    return frozenset(_lone(meaning) or atoms(meaning))


def primitives(meaning: Meaning) -> frozenset[Hashable]:
    """The lemmas and names of a meaning, complete or not."""
    if isinstance(meaning, Name):
        return frozenset({meaning.name})
    if isinstance(meaning, Noun | Verb) and not atoms(meaning):
        return frozenset({meaning.lemma})
    names = (a for atom in atoms(meaning) for a in atom.arguments if isinstance(a, str))
    return frozenset((*(atom.predicate[0] for atom in atoms(meaning)), *names))


def _lone(meaning: Meaning) -> frozenset[str] | None:
    match meaning:
        case Name(name=name):
            return frozenset({name})
        case Noun(lemma=lemma):
            return frozenset({LONE_NOUN.format(lemma)})
        case Verb(lemma=lemma, frame=frame) if not atoms(meaning):
            return frozenset({LONE_VERB[frame].format(lemma)})
        case _:
            return None


def without_positions(meaning: Meaning) -> Hashable:
    """A meaning without positions and determiners: what the lenient metric compares."""
    if not isinstance(meaning, Sentence):
        return _lone(meaning)
    chain: list[Hashable] = []
    event: Event | None = meaning.clause
    agent = meaning.clause.agent
    while event is not None:
        roles = (agent, event.theme, event.recipient)
        chain.append((event.lemma, *(_modifier_chain(filler) for filler in roles)))
        if event.infinitive is not None:
            chain.append("xcomp")
            event = event.infinitive  # shares the agent
        elif event.clause is not None:
            chain.append("ccomp")
            event = event.clause
            agent = event.agent
        else:
            event = None
    return tuple(chain)


def _modifier_chain(phrase: NounPhrase | Gap | None) -> Hashable:
    if phrase is None:
        return None
    links: list[Hashable] = []
    stack: list[NounPhrase | Gap | WhClause | str] = [phrase]
    while stack:
        match stack.pop():
            case Name(name=name):
                links.append(name)
            case Entity(lemma=lemma, modifiers=modifiers):
                links.append((lemma, len(modifiers)))
                for preposition, place in reversed(modifiers):
                    stack.extend((place, preposition))
            case other:  # a preposition: COGS has neither gaps nor relative clauses
                links.append(other)
    return tuple(links)


UPSTREAM = "https://raw.githubusercontent.com/najoungkim/COGS"
BEFORE_CORRECTION = "86c9be5929c3b86b510afdfe56a4df9d5d341ab9"


def _file(name: str, sha256: str, size: int, url: str = "") -> DataFile:
    return DataFile(f"cogs/{name}", sha256, size, url or f"{UPSTREAM}/main/data/{name}")


TRAIN = _file(
    "train.tsv", "220b3804b562c0156ee986eff1bdd15c27e52142549362a64f57baf86e304c78", 4_146_574
)
DEV = _file("dev.tsv", "ab66388a309c7ac1ad210c781a6a0ce12281a9ef24619a12422a752cef61bc21", 522_121)
TEST = _file(
    "test.tsv", "68f8e51e9f6d9cd22d64efe68dd21d7ea5ba327e9a2359481030161aea757035", 521_111
)
GEN = _file(
    "gen.tsv", "d013d9eee0bafc153f8decc85f42814ac97260f84964d980e1e2b84577b82361", 5_532_102
)
GEN_ORIGINAL = _file(
    "gen_original.tsv",
    "410369d993e7cf3af9bb75835a77b1a332b56e60985a8bf1e7d75c30e91d4828",
    5_532_102,
    url=f"{UPSTREAM}/{BEFORE_CORRECTION}/data/gen.tsv",
)

BENCHMARKS = (
    Benchmark(
        "cogs/gen",
        "generalisation set, corrected 2022-09-13",
        {"train": (TRAIN,), "dev": (DEV,), "test": (GEN,)},
    ),
    Benchmark(
        "cogs/gen_original",
        "generalisation set as the 2021 papers used it: 51 other forms",
        {"train": (TRAIN,), "dev": (DEV,), "test": (GEN_ORIGINAL,)},
    ),
    Benchmark(
        "cogs/test",
        "test set from the distribution of train",
        {"train": (TRAIN,), "dev": (DEV,), "test": (TEST,)},
    ),
)

GROUP_TITLES = {
    "subj_to_obj_common": "3.1.1 subject to object, common noun",
    "subj_to_obj_proper": "3.1.2 subject to object, proper noun",
    "obj_to_subj_common": "3.1.3 object to subject, common noun",
    "obj_to_subj_proper": "3.1.4 object to subject, proper noun",
    "prim_to_subj_common": "3.1.5 lone word to subject, common noun",
    "prim_to_subj_proper": "3.1.6 lone word to subject, proper noun",
    "prim_to_obj_common": "3.1.7 lone word to object, common noun",
    "prim_to_obj_proper": "3.1.8 lone word to object, proper noun",
    "prim_to_inf_arg": "3.1.9 lone word to infinitive",
    "obj_pp_to_subj_pp": "3.2.1 object modifier to subject modifier",
    "cp_recursion": "3.3.1 deeper sentential complements",
    "pp_recursion": "3.3.2 deeper prepositional phrases",
    "active_to_passive": "3.4.1 active to passive",
    "passive_to_active": "3.4.2 passive to active",
    "obj_omitted_transitive_to_transitive": "3.4.3 object omitted to transitive",
    "unacc_to_transitive": "3.4.4 unaccusative to transitive",
    "do_dative_to_pp_dative": "3.4.5 double object to prepositional dative",
    "pp_dative_to_do_dative": "3.4.6 prepositional dative to double object",
    "only_seen_as_transitive_subj_as_unacc_subj": "3.5.1 agent noun with unaccusative verb",
    "only_seen_as_unacc_subj_as_obj_omitted_transitive_subj": "3.5.2 theme noun, object omitted",
    "only_seen_as_unacc_subj_as_unerg_subj": "3.5.3 theme noun with unergative verb",
}
"""Group of rows -> section of Kim & Linzen (2020), where it is called a category."""
STRUCTURAL_GROUPS = frozenset({"obj_pp_to_subj_pp", "cp_recursion", "pp_recursion"})
"""Groups that need new structures; the others use known words in new positions."""


def load(benchmark: Benchmark, part: str, find: Callable[[DataFile], Path]) -> list[Example]:
    """The rows of one part of a benchmark."""
    (file,) = benchmark.files[part]
    return read_rows(find(file))


def read_rows(path: Path) -> list[Example]:
    """The rows of a COGS file; a row without three filled columns is an error."""
    examples = []
    for number, line in numbered_lines(path):
        columns = line.split("\t")
        if len(columns) != 3:
            raise DataError(
                f"{path}:{number}: expected 3 columns (sentence, form, category) "
                f"separated by tabs, found {len(columns)}"
            )
        sentence, form, group = columns
        source, tokens = f"{path}:{number}", tuple(sentence.split())
        refuse_empty(tokens, "sentence", source)
        refuse_empty(form.strip(), "form", source)
        examples.append(Example(tokens, form, group, source))
    if not examples:
        raise DataError(f"{path}: the file is empty")
    return examples


CORPUS = Corpus(BENCHMARKS, load, group_titles=GROUP_TITLES, structural_groups=STRUCTURAL_GROUPS)
METRICS = Metrics(conjuncts, primitives, lenient=without_positions)

TOTAL_COGS = Domain(
    name="cogs",
    language=Language(TOTAL_ALGEBRA, read, render, finishing={"to_strict": to_strict}),
    words=Words(
        total_lexicon.induce,
        total_lexicon.ground,
        unknown,
        tokenize=tokenize,
        second_sentence=second_sentence,
    ),
    corpus=CORPUS,
    syntax=Syntax(category=total.category, argument=total.argument_symbol),
    metrics=METRICS,
)

HEADS_COGS = replace(TOTAL_COGS, language=replace(TOTAL_COGS.language, algebra=HEADS_ALGEBRA))

COGS = Domain(
    name="cogs",
    language=Language(COGS_ALGEBRA, read, render, guide, render_part=render_part),
    words=Words(induce, ground, unknown, tokenize=tokenize, second_sentence=second_sentence),
    corpus=CORPUS,
    syntax=Syntax(category=category, argument=argument_symbol, heads=HEADS),
    metrics=METRICS,
    other_algebras={"total": TOTAL_COGS, "heads": HEADS_COGS},
)
