"""A small lexicon and a few short rows of each domain, for laws that are checked by enumeration.

The rows are our own. They bring in what the domains differ in: words before, between and after
arguments, units with several primitives, names that networks take for alike, finishing steps.
"""

from dataclasses import dataclass
from functools import cache

from lear.algebra.algebra import Primitive
from lear.benchmark import Example
from lear.domain import Domain
from lear.domains.cfq.domain import CFQ
from lear.domains.cogs.domain import COGS
from lear.domains.geo.domain import GEO
from lear.domains.pairs import read_pairs
from lear.domains.terms.corpus import HOME
from lear.domains.terms.tokenizer import tokenize
from lear.domains.toy import TOY, generate
from lear.forest.oracle import Oracle
from lear.lexicon.lexicon import UNKNOWN, Lexicon, Unit
from tests.support.pairs import inferred


@dataclass(frozen=True)
class SmallDomain:
    """A domain with a lexicon, and rows in reach of it."""

    domain: Domain
    lexicon: Lexicon
    rows: tuple[Example, ...]
    others: tuple[tuple[str, ...], ...]
    """Sentences without gold, dead ends among them."""

    @property
    def oracle(self) -> Oracle:
        return Oracle.of(self.domain, self.lexicon)

    @property
    def sentences(self) -> list[tuple[str, ...]]:
        return [*(row.tokens for row in self.rows), *self.others]


def make_row(sentence: str, form: str) -> Example:
    return Example(tuple(sentence.split()), form, "", f"{sentence!r}")


def split_all(*sentences: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(sentence.split()) for sentence in sentences)


def make_lexicon(domain: str, entries: dict[str, list[Primitive]], words: list[str]) -> Lexicon:
    counts: dict[tuple[Unit, Primitive], int] = {
        (tuple(unit.split()), primitive): 1
        for unit, primitives in entries.items()
        for primitive in primitives
    }
    return Lexicon.from_counts(domain, counts, dict.fromkeys(words, 1))


def _toy() -> SmallDomain:
    return SmallDomain(
        TOY,
        TOY.words.induce(generate("train", seed=1), ()),
        (
            make_row("Tom sees Mary", "see ( tom , mary )"),
            make_row("Tom looks after Mary", "look_after ( tom , mary )"),
            make_row("Mary is seen by Tom", "see ( tom , mary )"),
            make_row("Tom sees the girl", "see ( tom , girl )"),
        ),
        split_all("Tom Mary", "Tom is the Mary"),
    )


def _cogs() -> SmallDomain:
    rows = (
        make_row("Emma slept .", "sleep . agent ( x _ 1 , Emma )"),
        make_row("A dog slept .", "dog ( x _ 1 ) AND sleep . agent ( x _ 2 , x _ 1 )"),
        make_row(
            "Emma saw Liam .", "see . agent ( x _ 1 , Emma ) AND see . theme ( x _ 1 , Liam )"
        ),
        make_row("The dog broke .", "* dog ( x _ 1 ) ; break . theme ( x _ 2 , x _ 1 )"),
        make_row("Emma was seen .", "see . theme ( x _ 2 , Emma )"),
    )
    return SmallDomain(COGS, COGS.words.induce(rows, ()), rows, split_all("slept Emma", "dog a ."))


def _cfq() -> SmallDomain:
    directed = Primitive("Predicate", "film.director.film", "directed")
    edited = Primitive("Predicate", "film.editor.film", "directed")
    editor = Primitive("Attribute", "a film.editor", "editor")
    lexicon = make_lexicon(
        "cfq",
        {"direct": [directed], "directed": [directed, edited], "editor": [editor]},
        ["Did", "Who", "was", "by", "and", "a"],
    )
    return SmallDomain(
        CFQ,
        lexicon,
        (
            make_row("Did M0 direct M1", "SELECT count ( * ) WHERE { M0 film.director.film M1 }"),
            make_row(
                "Who directed M1",
                "SELECT DISTINCT ?x0 WHERE { ?x0 a people.person . ?x0 film.director.film M1 }",
            ),
            make_row("Did M0 was a editor", "SELECT count ( * ) WHERE { M0 a film.editor }"),
        ),
        split_all("M0 directed by M1", "Who was M0"),
    )


def _geo() -> SmallDomain:
    texas = Primitive("Entity", "stateid('texas')", "tx")
    state = Primitive("Entity", "stateid('mississippi')", "ms")
    river_name = Primitive("Entity", "riverid('mississippi')")
    river, inside, capital = (
        Primitive("Predicate", name) for name in ("river", "loc_2", "capital")
    )
    lexicon = make_lexicon(
        "geo",
        {
            "rivers": [river],
            "in": [inside],
            "capital": [capital],
            "texas": [texas],
            "mississippi": [state, river_name],
        },
        ["the", "what", "of", "in", UNKNOWN],
    )
    return SmallDomain(
        GEO,
        lexicon,
        (
            make_row("rivers in texas", "answer(river(loc_2(stateid('texas'))))"),
            make_row("what rivers in mississippi", "answer(river(loc_2(stateid('mississippi'))))"),
            make_row("texas capital the", "answer(capital(loc_2(stateid('texas'))))"),
            make_row("rivers the", "answer(river(all))"),
        ),
        # Only at the end of a sentence may a word follow what it belongs to: "rivers the" is none.
        split_all("rivers the in texas", "rivers the texas", "texas the mississippi", "texas"),
    )


def _terms() -> SmallDomain:
    train = read_pairs(HOME, tokenize)["train"]
    domain = inferred(train, "types")
    return SmallDomain(
        domain,
        domain.words.induce(train, ()),
        (
            make_row("lock the front door", "lock(door(front))"),
            make_row("fan in the hall on", "on(fan(hall))"),
            make_row("dim all lights to nine", "dim(all(light), 9)"),
            make_row("front door at 7 pm lock", "at(lock(door(front)), 19:00)"),
        ),
        split_all("front on", "the in to", "light fan"),
    )


@cache
def small_domains() -> dict[str, SmallDomain]:
    """All five, by name."""
    return {small.domain.name: small for small in (_toy(), _cogs(), _cfq(), _geo(), _terms())}
