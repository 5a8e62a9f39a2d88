"""The version of the package and of its behaviour, where every layer can read them."""

TYPE_CHECKING = False  # see twofold/__init__.py
if TYPE_CHECKING:
    from typing import Final

__version__ = "0.1.0.dev0"

SIGNATURE: "Final" = 11291483403449965427
"""What `twofold selftest` finds; it changes with behaviour only, in the commit that changes it."""
