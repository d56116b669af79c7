"""COGS: what a grammar sees of its meanings, what scores compare, its files, and the domain.

What a grammar sees is chosen by linguistic argument. Of the head of a phrase it sees the valency:
which arguments a verb has, whether the verb is unaccusative (its sole argument is then the theme),
whether a noun has a modifier. Of an argument it sees only that it is a noun phrase, a clause or an
infinitive, of any size.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path
from typing import TypeGuard

from lear.algebra.algebra import Algebra, Meaning
from lear.algebra.meanings import parts
from lear.benchmark import Benchmark, Example
from lear.domain import Corpus, Domain, Language, Metrics, Syntax, Words, second_sentence
from lear.domains.cogs import _total as total
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
    fillers_of,
)
from lear.domains.cogs.forms import LABELS, atoms, read, render, render_part
from lear.domains.cogs.words import ground, induce, tokenize, unknown
from lear.errors import DataError
from lear.storage.datasets import DataFile, numbered_lines, refuse_empty


def heads_of(algebra: Algebra) -> dict[str, int]:
    """Return operation -> index of its head: the argument that must be a noun or a verb."""
    return {
        operation.name: index
        for operation in algebra.operations
        for index, kinds in enumerate(operation.arguments)
        if kinds in ((Noun,), (Entity,), (Verb,))
    }


def category(meaning: Meaning) -> str:
    """Return type and arguments: `Verb`, `Verb+theme`, `Unaccusative+agent`, `Entity+modifier`."""
    if isinstance(meaning, Verb):
        fillers = zip(LABELS, fillers_of(meaning), strict=True)
        labels = [label for label, filler in fillers if filler is not None]
        return "+".join(("Unaccusative" if meaning.frame == "theme" else "Verb", *labels))
    if isinstance(meaning, Entity) and meaning.modifiers:
        return "Entity+modifier"
    return type(meaning).__name__


def argument_symbol(meaning: Meaning) -> str:
    """`NounPhrase` for entities and names, else the type."""
    return "NounPhrase" if isinstance(meaning, Entity | Name) else type(meaning).__name__


def guide(gold: Meaning) -> Callable[[Meaning], bool]:
    """Return a test that every meaning in every derivation of `gold` passes.

    Positions make it exact: a meaning with head position i must agree with what gold says about i.
    An argument of it can take nothing more, so it must be the same object as in gold.
    """
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
                return event is not None and fillers_of(meaning) == fillers_of(event)
            case Pronoun():
                return any(event.has_gap for event in events.values())
            case _:
                return meaning in inside

    return is_part


def _agrees(verb: Verb, event: Event) -> bool:
    """Return whether the arguments that a verb has so far are those of the event in gold."""
    if isinstance(event, Verb):  # gold is a lone verb
        return verb is event
    return verb.lemma == event.lemma and all(
        own is None or own == given
        for own, given in zip(fillers_of(verb), fillers_of(event), strict=True)
    )


def conjuncts(meaning: Meaning) -> frozenset[Hashable]:
    """Return the clauses of a meaning, complete or not; a lone word has only its form."""
    return frozenset({render(meaning)} if _is_lone(meaning) else atoms(meaning))


def primitives(meaning: Meaning) -> frozenset[Hashable]:
    """Return the lemmas and names of a meaning, complete or not."""
    if _is_lone(meaning):
        return frozenset({meaning.name if isinstance(meaning, Name) else meaning.lemma})
    names = (a for atom in atoms(meaning) for a in atom.arguments if isinstance(a, str))
    return frozenset((*(atom.predicate[0] for atom in atoms(meaning)), *names))


def _is_lone(meaning: Meaning) -> TypeGuard[Name | Noun | Verb]:
    """Return whether a meaning is a word without arguments."""
    return isinstance(meaning, Name | Noun | Verb) and not atoms(meaning)


def without_positions(meaning: Meaning) -> Hashable:
    """Return a meaning without positions and determiners: what the lenient metric compares."""
    if not isinstance(meaning, Sentence):
        return conjuncts(meaning) if _is_lone(meaning) else None
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


def _file(name: str, sha256: str, size: int, version: str = "main/data/{}") -> DataFile:
    return DataFile(f"cogs/{name}.tsv", sha256, size, f"{UPSTREAM}/{version.format(f'{name}.tsv')}")


TRAIN = _file(
    "train", "220b3804b562c0156ee986eff1bdd15c27e52142549362a64f57baf86e304c78", 4_146_574
)
DEV = _file("dev", "ab66388a309c7ac1ad210c781a6a0ce12281a9ef24619a12422a752cef61bc21", 522_121)
TEST = _file("test", "68f8e51e9f6d9cd22d64efe68dd21d7ea5ba327e9a2359481030161aea757035", 521_111)
GEN = _file("gen", "d013d9eee0bafc153f8decc85f42814ac97260f84964d980e1e2b84577b82361", 5_532_102)
GEN_ORIGINAL = _file(
    "gen_original",
    "410369d993e7cf3af9bb75835a77b1a332b56e60985a8bf1e7d75c30e91d4828",
    5_532_102,
    f"{BEFORE_CORRECTION}/data/gen.tsv",
)


def _benchmark(name: str, summary: str, test: DataFile) -> Benchmark:
    return Benchmark(name, summary, {"train": (TRAIN,), "dev": (DEV,), "test": (test,)})


BENCHMARKS = (
    _benchmark("cogs/gen", "generalisation set, corrected 2022-09-13", GEN),
    _benchmark(
        "cogs/gen_original",
        "generalisation set as the 2021 papers used it: 51 other forms",
        GEN_ORIGINAL,
    ),
    _benchmark("cogs/test", "test set from the distribution of train", TEST),
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
    """Return the rows of one part of a benchmark."""
    (file,) = benchmark.files[part]
    return read_rows(find(file))


def read_rows(path: Path) -> list[Example]:
    """Return the rows of a COGS file; a row without three filled columns is an error."""
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

WORDS = Words(induce, ground, unknown, tokenize=tokenize, second_sentence=second_sentence)
TOTAL_COGS = Domain(
    name="cogs",
    language=Language(total.TOTAL_ALGEBRA, read, render, finishing={"to_strict": total.to_strict}),
    words=replace(WORDS, induce=total.induce, ground=total.ground),
    corpus=CORPUS,
    syntax=Syntax(category=total.category, argument=total.argument_symbol),
    metrics=METRICS,
)

HEADS_COGS = replace(TOTAL_COGS, language=replace(TOTAL_COGS.language, algebra=total.HEADS_ALGEBRA))

COGS = Domain(
    name="cogs",
    language=Language(COGS_ALGEBRA, read, render, guide, render_part=render_part),
    words=WORDS,
    corpus=CORPUS,
    syntax=Syntax(category=category, argument=argument_symbol, heads=heads_of(COGS_ALGEBRA)),
    metrics=METRICS,
    other_algebras={"total": TOTAL_COGS, "heads": HEADS_COGS},
)
