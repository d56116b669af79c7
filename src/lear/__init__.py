"""lear: semantic parsing that generalises compositionally.

Give it pairs of utterance and meaning, and a typed algebra of meanings. `Parser` asks a model;
`make_domain`, `Meaning`, `Shape` and `pairs_corpus` are for authors of domains. Each name is loaded
when it is first used, so that `import lear` costs nothing.

>>> import lear
>>> lear.Parser.from_pretrained("cogs")("Emma slept.").form
'sleep . agent ( x _ 1 , Emma )'
"""

from importlib import import_module
from typing import TYPE_CHECKING

from lear.version import __version__ as __version__

if TYPE_CHECKING:
    from lear.algebra.algebra import Meaning as Meaning
    from lear.domain import Shape as Shape
    from lear.domains.make_domain import make_domain as make_domain
    from lear.domains.pairs import pairs_corpus as pairs_corpus
    from lear.domains.registry import load_domain as load_domain
    from lear.domains.registry import register as register
    from lear.errors import FormError as FormError
    from lear.parser import Limits as Limits
    from lear.parser import Parse as Parse
    from lear.parser import Parser as Parser

_HOMES = {
    "FormError": "lear.errors",
    "Limits": "lear.parser",
    "Meaning": "lear.algebra.algebra",
    "Parse": "lear.parser",
    "Parser": "lear.parser",
    "Shape": "lear.domain",
    "load_domain": "lear.domains.registry",
    "make_domain": "lear.domains.make_domain",
    "pairs_corpus": "lear.domains.pairs",
    "register": "lear.domains.registry",
}
"""Public name -> its module."""

__all__ = [
    "FormError",
    "Limits",
    "Meaning",
    "Parse",
    "Parser",
    "Shape",
    "__version__",
    "load_domain",
    "make_domain",
    "pairs_corpus",
    "register",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'lear' has no attribute {name!r}")
