"""A small lexicon and a few short rows of each domain, for laws that are checked by enumeration.

The rows are our own. They bring in what the domains differ in: words before, between and after
arguments, units with several primitives, names that networks take for alike, finishing steps.
"""

from dataclasses import dataclass
from functools import cache

from lear.core.lexicon import UNKNOWN, Lexicon, Primitive, Unit
from lear.domain.domain import Domain
from lear.domain.example import Example
from lear.domains.cfq.domain import CFQ
from lear.domains.cogs.domain import COGS
from lear.domains.geo.domain import GEO
from lear.domains.toy.corpus import generate
from lear.domains.toy.domain import TOY
from lear.search.oracle import Oracle


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


def _row(sentence: str, form: str) -> Example:
    return Example(tuple(sentence.split()), form, "", f"{sentence!r}")


def _split(*sentences: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(sentence.split()) for sentence in sentences)


def _lexicon(domain: str, entries: dict[str, list[Primitive]], words: list[str]) -> Lexicon:
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
            _row("Tom sees Mary", "see ( tom , mary )"),
            _row("Tom looks after Mary", "look_after ( tom , mary )"),
            _row("Mary is seen by Tom", "see ( tom , mary )"),
            _row("Tom sees the girl", "see ( tom , girl )"),
        ),
        _split("Tom Mary", "Tom is the Mary"),
    )


def _cogs() -> SmallDomain:
    rows = (
        _row("Emma slept .", "sleep . agent ( x _ 1 , Emma )"),
        _row("A dog slept .", "dog ( x _ 1 ) AND sleep . agent ( x _ 2 , x _ 1 )"),
        _row("Emma saw Liam .", "see . agent ( x _ 1 , Emma ) AND see . theme ( x _ 1 , Liam )"),
        _row("The dog broke .", "* dog ( x _ 1 ) ; break . theme ( x _ 2 , x _ 1 )"),
        _row("Emma was seen .", "see . theme ( x _ 2 , Emma )"),
    )
    return SmallDomain(COGS, COGS.words.induce(rows, ()), rows, _split("slept Emma", "dog a ."))


def _cfq() -> SmallDomain:
    directed = Primitive("Predicate", "film.director.film", "directed")
    edited = Primitive("Predicate", "film.editor.film", "directed")
    editor = Primitive("Attribute", "a film.editor", "editor")
    lexicon = _lexicon(
        "cfq",
        {"direct": [directed], "directed": [directed, edited], "editor": [editor]},
        ["Did", "Who", "was", "by", "and", "a"],
    )
    return SmallDomain(
        CFQ,
        lexicon,
        (
            _row("Did M0 direct M1", "SELECT count ( * ) WHERE { M0 film.director.film M1 }"),
            _row(
                "Who directed M1",
                "SELECT DISTINCT ?x0 WHERE { ?x0 a people.person . ?x0 film.director.film M1 }",
            ),
            _row("Did M0 was a editor", "SELECT count ( * ) WHERE { M0 a film.editor }"),
        ),
        _split("M0 directed by M1", "Who was M0"),
    )


def _geo() -> SmallDomain:
    texas = Primitive("Entity", "stateid('texas')", "tx")
    state = Primitive("Entity", "stateid('mississippi')", "ms")
    river_name = Primitive("Entity", "riverid('mississippi')")
    river, inside, capital = (
        Primitive("Predicate", name) for name in ("river", "loc_2", "capital")
    )
    lexicon = _lexicon(
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
            _row("rivers in texas", "answer(river(loc_2(stateid('texas'))))"),
            _row("what rivers in mississippi", "answer(river(loc_2(stateid('mississippi'))))"),
            _row("texas capital the", "answer(capital(loc_2(stateid('texas'))))"),
            _row("rivers the", "answer(river(all))"),
        ),
        # Only at the end of a sentence may a word follow what it belongs to: "rivers the" is none.
        _split("rivers the in texas", "rivers the texas", "texas the mississippi", "texas"),
    )


@cache
def small_domains() -> dict[str, SmallDomain]:
    """All four, by name."""
    return {small.domain.name: small for small in (_toy(), _cogs(), _cfq(), _geo())}
