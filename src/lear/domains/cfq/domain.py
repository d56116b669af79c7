"""The CFQ domain, put together from its parts."""

from dataclasses import replace

from lear.domain.domain import (
    Corpus,
    Domain,
    Execution,
    Language,
    Metrics,
    Syntax,
    Words,
    second_sentence,
)
from lear.domains.cfq import total_algebra, total_lexicon
from lear.domains.cfq.algebra import CFQ_ALGEBRA
from lear.domains.cfq.categories import HEADS, argument_symbol, category, head_symbol
from lear.domains.cfq.compared_parts import chains, conjuncts, primitives
from lear.domains.cfq.corpus import BENCHMARKS, benchmark_named, load
from lear.domains.cfq.execution import open_store
from lear.domains.cfq.form_text import read, render, render_part
from lear.domains.cfq.guide import guide
from lear.domains.cfq.lexicon import ground, hint, induce, unknown
from lear.domains.cfq.tokenizer import tokenize
from lear.domains.cfq.total_algebra import TOTAL_ALGEBRA
from lear.domains.cfq.total_to_strict import to_strict

CORPUS = Corpus(BENCHMARKS, load, benchmark_named)
METRICS = Metrics(conjuncts, primitives, lenient=chains)
EXECUTION = Execution(open_store)

TOTAL_CFQ = Domain(
    name="cfq",
    language=Language(TOTAL_ALGEBRA, read, render, finishing={"to_strict": to_strict}),
    words=Words(
        induce,
        total_lexicon.ground,
        unknown,
        join_units=total_lexicon.join_units,
        joined=total_lexicon.joined,
        seen_as=total_lexicon.seen_as,
        tokenize=tokenize,
        second_sentence=second_sentence,
    ),
    corpus=CORPUS,
    syntax=Syntax(category=total_algebra.category),
    metrics=METRICS,
    execution=EXECUTION,
)

CLASSLESS_CFQ = replace(
    TOTAL_CFQ, syntax=Syntax(category=total_algebra.category, argument=total_algebra.type_symbol)
)
"""The symbols of leaves are the paper's three types, without word classes."""

CFQ = Domain(
    name="cfq",
    language=Language(CFQ_ALGEBRA, read, render, guide, render_part=render_part),
    words=Words(induce, ground, unknown, hint, tokenize=tokenize, second_sentence=second_sentence),
    corpus=CORPUS,
    syntax=Syntax(category=category, argument=argument_symbol, head=head_symbol, heads=HEADS),
    metrics=METRICS,
    execution=EXECUTION,
    other_algebras={"total": TOTAL_CFQ, "classless": CLASSLESS_CFQ},
)
