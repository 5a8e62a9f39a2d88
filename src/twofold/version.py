"""The versions of the package and of its behaviour, importable from every layer."""

TYPE_CHECKING = False  # see twofold/__init__.py
if TYPE_CHECKING:
    from typing import Final

__version__ = "0.1.0.dev0"

SIGNATURE: "Final" = 11291483403449965427
"""The signature that `twofold selftest` finds; it changes only with behaviour."""
