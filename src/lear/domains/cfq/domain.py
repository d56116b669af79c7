"""The CFQ domain, put together from its parts."""

from lear.domain.domain import Corpus, Domain, Execution, Language, Metrics, Syntax, Words
from lear.domains.cfq.algebra import CFQ_ALGEBRA
from lear.domains.cfq.categories import HEADS, argument_symbol, category, head_symbol
from lear.domains.cfq.compared_parts import chains, conjuncts, primitives
from lear.domains.cfq.corpus import BENCHMARKS, benchmark_named, load
from lear.domains.cfq.execution import open_store
from lear.domains.cfq.form_text import read, render
from lear.domains.cfq.guide import guide
from lear.domains.cfq.lexicon import ground, induce, unknown
from lear.domains.cfq.tokenizer import tokenize

CFQ = Domain(
    name="cfq",
    language=Language(CFQ_ALGEBRA, read, render, guide),
    words=Words(induce, ground, unknown, tokenize=tokenize),
    corpus=Corpus(BENCHMARKS, load, benchmark_named),
    syntax=Syntax(category=category, argument=argument_symbol, head=head_symbol, heads=HEADS),
    metrics=Metrics(conjuncts, primitives, lenient=chains),
    execution=Execution(open_store),
)
