"""Rows of the toy language, generated with a seed.

Training rows are shallow, and some words occur in one position only. Test rows have deeper
possessives, deeper complements, and these words in positions that training never shows. Dev rows
are drawn like training rows.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lear.domain.example import Benchmark, Example
from lear.domains.toy.vocabulary import ACTIONS, ATTITUDES, KINDS, NAMES, RELATIONS
from lear.storage.data_file import DataFile

SEED = 1
BENCHMARKS = (Benchmark("toy/deep", "shallow training rows; deeper and recombined test rows"),)
NUM_TRAIN, NUM_DEV, NUM_PER_GROUP = 400, 80, 40

# Words that training shows in one position only.
ONLY_SUBJECTS = ("Carl", "Nina")
ONLY_OBJECTS = ("Ruth", "Omar")
ONLY_POSSESSIVE = ("sister",)

GROUP_TITLES = {
    "shallow": "possessives of depth 0 or 1, at most one complement",
    "possessive_2": "John 's daughter 's daughter",
    "possessive_3": "possessives of depth 3",
    "possessive_4": "possessives of depth 4",
    "possessive_6": "possessives of depth 6",
    "complement_2": "two complements: Tom knows that Mary says that ...",
    "complement_4": "four complements",
    "object_to_subject": "names that training shows as objects only",
    "subject_to_object": "names that training shows as subjects only",
    "possessive_to_of": "a relation that training shows with 's only, here with of",
    "deep_subject": "possessives of depth 3 as subjects, also of passives",
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words with their form."""

    words: str
    form: str


def load(benchmark: Benchmark, part: str, find: Callable[[DataFile], Path]) -> list[Example]:
    """The rows of one part; they are generated, so no file is read."""
    del benchmark, find
    return generate(part, SEED)


def generate(part: str, seed: int) -> list[Example]:
    """Distinct rows of `train`, `dev` or `test`; dev and test have no row of train."""
    train = _distinct(_shallow(_Speaker(seed, "train")), NUM_TRAIN, exclude=())
    if part == "train":
        chosen = [("shallow", phrase) for phrase in train]
    elif part == "dev":
        dev = _distinct(_shallow(_Speaker(seed, "dev")), NUM_DEV, exclude=train)
        chosen = [("shallow", phrase) for phrase in dev]
    else:
        chosen = [
            (group, phrase)
            for group, source in _test_sources(_Speaker(seed, "test")).items()
            for phrase in _distinct(source, NUM_PER_GROUP, exclude=train)
        ]
    return [
        Example(tuple(phrase.words.split()), phrase.form, group, f"toy/{part}:{number}")
        for number, (group, phrase) in enumerate(chosen, start=1)
    ]


def _distinct(source: Iterator[Phrase], count: int, exclude: Sequence[Phrase]) -> list[Phrase]:
    phrases: dict[Phrase, None] = {}
    while len(phrases) < count:
        phrase = next(source)
        if phrase not in exclude:
            phrases[phrase] = None
    return list(phrases)


class _Speaker:
    """Draws phrases; its lists hold the words that training rows show in each position."""

    def __init__(self, seed: int, part: str) -> None:
        self.rng = random.Random(f"toy {seed} {part}")
        self.subjects = [name for name in NAMES if name not in ONLY_OBJECTS]
        self.objects = [name for name in NAMES if name not in ONLY_SUBJECTS]
        self.related_by_of = [noun for noun in RELATIONS if noun not in ONLY_POSSESSIVE]

    def plain(self, names: Sequence[str]) -> Phrase:
        if self.rng.random() < 0.25:
            kind = self.rng.choice(list(KINDS))
            return Phrase(f"the {kind}", KINDS[kind])
        name = self.rng.choice(names)
        return Phrase(name, NAMES[name])

    def possessive(self, names: Sequence[str], depth: int) -> Phrase:
        phrase = self.plain(names)
        for _ in range(depth):
            noun = self.rng.choice(list(RELATIONS))
            phrase = Phrase(f"{phrase.words} 's {noun}", f"{RELATIONS[noun]} ( {phrase.form} )")
        return phrase

    def of_phrase(self, names: Sequence[str], nouns: Sequence[str]) -> Phrase:
        noun, owner = self.rng.choice(nouns), self.plain(names)
        return Phrase(f"the {noun} of {owner.words}", f"{RELATIONS[noun]} ( {owner.form} )")

    def person(self, names: Sequence[str]) -> Phrase:
        """A noun phrase with at most one possessive."""
        draw = self.rng.random()
        if draw < 0.2:
            return self.of_phrase(names, self.related_by_of)
        return self.possessive(names, depth=0 if draw < 0.6 else 1)

    def active(self, subject: Phrase, second: Phrase) -> Phrase:
        verb = self.rng.choice(list(ACTIONS))
        symbol = ACTIONS[verb][1]
        return Phrase(
            f"{subject.words} {verb} {second.words}",
            f"{symbol} ( {subject.form} , {second.form} )",
        )

    def passive(self, subject: Phrase, agent: Phrase) -> Phrase:
        participle, symbol = ACTIONS[self.rng.choice(list(ACTIONS))]
        return Phrase(
            f"{subject.words} is {participle} by {agent.words}",
            f"{symbol} ( {agent.form} , {subject.form} )",
        )

    def simple(self) -> Phrase:
        return self.clause(self.person(self.subjects), self.person(self.objects))

    def clause(self, subject: Phrase, other: Phrase) -> Phrase:
        """An active or a passive clause."""
        return (self.passive if self.rng.random() < 0.3 else self.active)(subject, other)

    def complement(self, depth: int) -> Phrase:
        phrase = self.simple()
        for _ in range(depth):
            verb, subject = self.rng.choice(list(ATTITUDES)), self.plain(self.subjects)
            phrase = Phrase(
                f"{subject.words} {verb} that {phrase.words}",
                f"{ATTITUDES[verb]} ( {subject.form} , {phrase.form} )",
            )
        return phrase


def _shallow(speaker: _Speaker) -> Iterator[Phrase]:
    while True:
        yield speaker.complement(depth=1 if speaker.rng.random() < 0.25 else 0)


def _test_sources(speaker: _Speaker) -> dict[str, Iterator[Phrase]]:
    """Group -> an endless source of its phrases."""

    def endless(draw: Callable[[], Phrase]) -> Iterator[Phrase]:
        while True:
            yield draw()

    def deep(depth: int) -> Callable[[], Phrase]:
        def draw() -> Phrase:
            subject = speaker.person(speaker.subjects)
            return speaker.active(subject, speaker.possessive(speaker.objects, depth))

        return draw

    def of_sister() -> Phrase:
        other = speaker.of_phrase(speaker.objects, ONLY_POSSESSIVE)
        return speaker.active(speaker.person(speaker.subjects), other)

    def deep_subject() -> Phrase:
        subject = speaker.possessive(speaker.subjects, depth=3)
        return speaker.clause(subject, speaker.person(speaker.objects))

    def named(name: str) -> Phrase:
        return Phrase(name, NAMES[name])

    def moved_subject() -> Phrase:
        subject = named(speaker.rng.choice(ONLY_OBJECTS))
        return speaker.active(subject, speaker.person(speaker.objects))

    def moved_object() -> Phrase:
        other = named(speaker.rng.choice(ONLY_SUBJECTS))
        return speaker.active(speaker.person(speaker.subjects), other)

    draws = {f"possessive_{depth}": deep(depth) for depth in (2, 3, 4, 6)} | {
        "complement_2": lambda: speaker.complement(2),
        "complement_4": lambda: speaker.complement(4),
        "object_to_subject": moved_subject,
        "subject_to_object": moved_object,
        "possessive_to_of": of_sister,
        "deep_subject": deep_subject,
    }
    return {group: endless(draw) for group, draw in draws.items()}
