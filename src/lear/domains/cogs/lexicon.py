"""The COGS lexicon, induced from training rows alone.

A variable is a token position, so the form itself says which word each predicate stands at: the
word at i has the lemma of the noun or verb whose first argument is i. A word that a form never
mentions is a function word. A verb's frame comes from its uses without a function word before it
(no passive `was`, no `to`): where its only argument is the theme, it is unaccusative.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lear.algebra import Meaning, MeaningTable
from lear.domain import Example
from lear.domains.cogs.algebra import COGS_ALGEBRA, Frame, Name, Noun, Verb
from lear.domains.cogs.clauses import Atom, render_atom, split_form
from lear.domains.cogs.form import read_lone
from lear.domains.cogs.reading import ROLES
from lear.errors import FormError
from lear.lexicon import Lexicon, Primitive, Unit


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive at a token."""
    match primitive.type:
        case "Name":
            return table.intern(Name(position, primitive.symbol))
        case "Noun":
            return table.intern(Noun(position, primitive.symbol))
        case _:
            frame = FRAMES[primitive.feature]
            return table.intern(Verb(position, primitive.symbol, frame=frame))


FRAMES: dict[str, Frame] = {"agent": "agent", "theme": "theme", "agent theme": "agent theme"}


def unknown(word: str) -> Sequence[Primitive]:
    """A word never seen is a name when capitalised, else a noun that is its own lemma."""
    return (Primitive("Name" if word[:1].isupper() else "Noun", word),)


def induce(examples: Iterable[Example]) -> Lexicon:
    """Units, function words and verb frames of the training rows."""
    evidence = _Evidence()
    for example in examples:
        try:
            evidence.add(example)
        except FormError as error:
            raise FormError(f"{example.source}: {error}") from None
    return evidence.lexicon()


class _Evidence:
    """Counts over training rows; a verb's frame is known only when all rows are counted."""

    def __init__(self) -> None:
        self.nouns: Counter[tuple[str, str]] = Counter()
        self.names: Counter[str] = Counter()
        self.verbs: Counter[tuple[str, str]] = Counter()
        self.words: Counter[str] = Counter()
        self.uses: Counter[tuple[str, str]] = Counter()
        """(lemma, role) -> rows with this role; and (lemma, `only` role) for bare single uses."""

    def add(self, example: Example) -> None:
        lone = read_lone(example.form)
        if lone is not None:
            self._add_lone(example.tokens[0], lone)
        else:
            self._add_sentence(example.tokens, split_form(example.form))

    def _add_lone(self, word: str, lone: Noun | Verb | Name) -> None:
        if isinstance(lone, Name):
            self.names[word] += 1
        elif isinstance(lone, Noun):
            self.nouns[word, lone.lemma] += 1
        else:
            self.verbs[word, lone.lemma] += 1
            if lone.frame == "theme":
                self.uses[lone.lemma, "only theme"] += 1
            for role in lone.frame.split():
                self.uses[lone.lemma, role] += 1

    def _add_sentence(self, tokens: Sequence[str], atoms: list[Atom]) -> None:
        nouns, verbs = _heads(tokens, atoms)
        mentioned = {a for atom in atoms for a in atom.arguments if isinstance(a, str)}
        is_content = []
        for position, word in enumerate(tokens):
            if position in nouns:
                self.nouns[word, nouns[position]] += 1
            elif position in verbs:
                self.verbs[word, verbs[position].lemma] += 1
            elif word in mentioned:
                self.names[word] += 1
            else:
                self.words[word] += 1
            is_content.append(position in nouns or position in verbs or word in mentioned)
        for position, (lemma, labels) in verbs.items():
            for role in set(labels) & set(ROLES):
                self.uses[lemma, role] += 1
            if len(labels) == 1 and position > 0 and is_content[position - 1]:
                self.uses[lemma, f"only {labels[0]}"] += 1

    def frame(self, lemma: str) -> Frame:
        """The frame of a verb: what its subject is when alone, then whether it takes a theme."""
        if self.uses[lemma, "only theme"] > self.uses[lemma, "only agent"]:
            return "theme"
        return "agent theme" if self.uses[lemma, "theme"] else "agent"

    def lexicon(self) -> Lexicon:
        counts: dict[tuple[Unit, Primitive], int] = {}
        for (word, lemma), count in self.nouns.items():
            counts[(word,), Primitive("Noun", lemma)] = count
        for (word, lemma), count in self.verbs.items():
            counts[(word,), Primitive("Verb", lemma, self.frame(lemma))] = count
        for name, count in self.names.items():
            counts[(name,), Primitive("Name", name)] = count
        return Lexicon.from_counts(COGS_ALGEBRA.name, counts, self.words)


class _VerbUse(NamedTuple):
    lemma: str
    labels: list[str]


def _heads(tokens: Sequence[str], atoms: list[Atom]) -> tuple[dict[int, str], dict[int, _VerbUse]]:
    """Position -> lemma of the noun there, and position -> lemma and arguments of the verb."""
    nouns: dict[int, str] = {}
    verbs: dict[int, _VerbUse] = {}
    for atom in atoms:
        position = atom.arguments[0]
        if not isinstance(position, int) or position >= len(tokens):
            raise FormError(f"the sentence has no token for {render_atom(atom)!r}")
        lemma, *label = atom.predicate
        if not label:
            nouns[position] = lemma
        elif label[0] != "nmod":
            verbs.setdefault(position, _VerbUse(lemma, [])).labels.append(label[0])
    return nouns, verbs
