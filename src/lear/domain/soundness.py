"""What can be seen to be wrong with a domain before any of its code is called."""

import re

from lear.domain.domain import Corpus, Domain, Language, Metrics, Syntax, Words
from lear.domain.example import Benchmark
from lear.errors import DomainError

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
PARTS_OF_A_DOMAIN = {
    "language": Language,
    "words": Words,
    "corpus": Corpus,
    "syntax": Syntax,
    "metrics": Metrics,
}
FUNCTIONS = {
    "language": ("read", "render"),
    "words": ("induce", "ground", "unknown", "alike", "tokenize", "gazetteer"),
    "corpus": ("load",),
    "syntax": ("category",),
    "metrics": ("conjuncts", "primitives"),
}


def require_sound(domain: Domain) -> None:
    """Raise `DomainError` if a domain cannot work, whatever its functions do."""
    for complaint in (_name(domain), _fields(domain), _benchmarks(domain), _heads(domain)):
        if complaint is not None:
            raise DomainError(f"domain {domain.name!r}: {complaint}")


def _name(domain: Domain) -> str | None:
    if isinstance(domain.name, str) and _NAME.fullmatch(domain.name):
        return None
    return "its name is not letters and digits, beginning with a letter"


def _fields(domain: Domain) -> str | None:
    for field, kind in PARTS_OF_A_DOMAIN.items():
        value = getattr(domain, field)
        if not isinstance(value, kind):
            return f"its {field} is a {type(value).__name__}, not a {kind.__name__}"
        for name in FUNCTIONS[field]:
            if not callable(getattr(value, name)):
                return f"{name} is a {type(getattr(value, name)).__name__}, not a function"
    return None


def _benchmarks(domain: Domain) -> str | None:
    if not domain.corpus.benchmarks:
        return "it has no benchmark"
    for benchmark in domain.corpus.benchmarks:
        if not isinstance(benchmark, Benchmark):
            return f"{benchmark!r} is no Benchmark"
        if not benchmark.name.startswith(f"{domain.name}/"):
            return f"the name of its benchmark {benchmark.name!r} must begin with '{domain.name}/'"
    return None


def _heads(domain: Domain) -> str | None:
    by_name = domain.language.algebra.by_name
    for operation, head in domain.syntax.heads.items():
        if operation not in by_name:
            return f"heads names {operation!r}, which is no operation"
        arity = by_name[operation].arity
        if not isinstance(head, int) or not 0 <= head < arity:
            return f"heads says {head!r} for {operation}, which has {arity} arguments, from 0 on"
    return None
