"""The total variants of COGS, CFQ and GEO with small lexicons, for laws checked by enumeration.

The lexicons bring in what the settings differ in: units of several words, words that may stand for
nothing, entries that say so, words never seen inside of units.
"""

from dataclasses import replace
from functools import cache

from lear.algebra.algebra import Primitive
from lear.domains.cfq.domain import TOTAL_CFQ
from lear.domains.cogs.domain import TOTAL_COGS
from lear.domains.geo.domain import TOTAL_GEO
from lear.lexicon.lexicon import NOTHING, UNKNOWN, Entry
from tests.support.small_domains import SmallDomain, make_lexicon, make_row, split_all


def _cogs() -> SmallDomain:
    rows = (
        make_row("Emma slept .", "sleep . agent ( x _ 1 , Emma )"),
        make_row("A dog slept .", "dog ( x _ 1 ) AND sleep . agent ( x _ 2 , x _ 1 )"),
        make_row("The dog broke .", "* dog ( x _ 1 ) ; break . theme ( x _ 2 , x _ 1 )"),
        make_row("Emma was seen .", "see . theme ( x _ 2 , Emma )"),
    )
    lexicon = TOTAL_COGS.words.induce(rows, ())
    units = dict(lexicon.units)
    # A function word that is also a verb, and a verb that is also a noun.
    units["was",] = (Entry(Primitive("Verb", "be", "agent"), 1),)
    units["broke",] = (*units["broke",], Entry(Primitive("Noun", "broke"), 1))
    return SmallDomain(
        TOTAL_COGS,
        replace(lexicon, units=units),
        rows,
        split_all("The zebra broke", "slept was", "."),
    )


def _cfq() -> SmallDomain:
    directed = Primitive("Predicate", "film.director.film", "directed")
    edited = Primitive("Predicate", "film.editor.film", "directed")
    editor = Primitive("Attribute", "a film.editor", "editor")
    lexicon = make_lexicon(
        "cfq",
        {"directed": [directed, edited], "film editor": [editor], "editor": [edited]},
        ["Did", "Who", "was", "editor", "and"],
    )
    return SmallDomain(
        TOTAL_CFQ,
        lexicon,
        (
            make_row(
                "Who directed M1",
                "SELECT DISTINCT ?x0 WHERE { ?x0 a people.person . ?x0 film.director.film M1 }",
            ),
            make_row(
                "Did M0 and M1 was film editor",
                "SELECT count ( * ) WHERE { M0 a film.editor . M1 a film.editor }",
            ),
        ),
        split_all("editor M0", "film editor directed"),
    )


def _geo() -> SmallDomain:
    texas = Primitive("Entity", "stateid('texas')", "tx")
    state = Primitive("Entity", "stateid('mississippi')", "ms")
    river_name = Primitive("Entity", "riverid('mississippi')")
    river, inside, highest = (
        Primitive("Predicate", name) for name in ("river", "loc_2", "highest place")
    )
    lexicon = make_lexicon(
        "geo",
        {
            "rivers": [river],
            "in": [inside, NOTHING],
            "highest point": [highest],
            "not": [Primitive("Negation", "exclude")],
            "texas": [texas],
            "mississippi": [state, river_name],
        },
        ["the", "of", "rivers", UNKNOWN],
    )
    return SmallDomain(
        TOTAL_GEO,
        lexicon,
        (
            make_row("rivers in texas", "answer(river(loc_2(stateid('texas'))))"),
            make_row("highest point of texas", "answer(highest(place(loc_2(stateid('texas')))))"),
        ),
        split_all("not texas rivers", "the mississippi", "not the", "zebra in"),
    )


@cache
def total_domains() -> dict[str, SmallDomain]:
    """All three, by name."""
    return {small.domain.name: small for small in (_cogs(), _cfq(), _geo())}
