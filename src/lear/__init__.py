"""lear: semantic parsing that generalises compositionally.

Give it pairs of utterance and meaning, and a typed algebra of meanings. `lear.domain.Domain`
is what a domain has to say; `lear.domains.registry` has those that ship. `lear.Parser`,
`lear.Parse` and `lear.Limits` are loaded when they are first used, so that `import lear` costs
nothing.

>>> import lear
>>> lear.Parser.from_pretrained("cogs")("Emma slept.").form
'sleep . agent ( x _ 1 , Emma )'
"""

from typing import TYPE_CHECKING

from lear.version import __version__ as __version__

if TYPE_CHECKING:
    from lear.parser import Limits as Limits
    from lear.parser import Parse as Parse
    from lear.parser import Parser as Parser

__all__ = ["Limits", "Parse", "Parser", "__version__"]


def __getattr__(name: str) -> object:
    if name in ("Limits", "Parse", "Parser"):
        from lear import parser

        return getattr(parser, name)
    raise AttributeError(f"module 'lear' has no attribute {name!r}")
