"""lear: semantic parsing that generalises compositionally.

Give it pairs of utterance and meaning and a typed algebra of meanings; see `lear.domain.Domain`
for what a domain has to say, and `lear.domains.registry` for those that ship.
"""

from lear.version import __version__ as __version__

__all__ = ["__version__"]
