"""Refusals: errors as replies."""

import logging
from typing import Final

from twofold.errors import TwofoldError
from twofold.notation import printable
from twofold.players.faults import describe
from twofold.web.protocol import RefusedReply

INTERNAL: Final = "InternalError"
"""Kind of unexpected errors."""

_MAX_TEXT: Final = 300
_LOG: Final = logging.getLogger("twofold.web")


def refused(error: Exception, ref: int = 0) -> RefusedReply:
    """An error as a reply to request `ref`; unexpected errors are logged with a traceback."""
    if isinstance(error, TwofoldError):
        return RefusedReply(ref=ref, message=str(error), kind=type(error).__name__)
    _LOG.error("something went wrong", exc_info=error)
    text = printable(describe(error))[:_MAX_TEXT]
    return RefusedReply(
        ref=ref, message=f"something went wrong inside twofold: {text}", kind=INTERNAL
    )
