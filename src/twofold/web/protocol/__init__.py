"""The messages between page and server over the WebSocket: JSON objects; no socket here.

Every message has a `type`. The `ref` of a `Request` comes back in each `Reply` to it. Replies with
`ref` 0 go to every session that follows the game. Seeds and scores of analyses are text, since
numbers in JavaScript are exact up to 2^53 only. Tiles are numbers, 0 for an empty cell, row by row.
Moves are `u`, `r`, `d`, `l`.

    >>> parse_request(b'{"type":"move","ref":7,"game":"k3","move":"u","move_number":0}')
    MoveRequest(game='k3', move='u', move_number=0, by='', ref=7)
"""

from typing import Final

import msgspec

from twofold.errors import InvalidInput
from twofold.notation import printable
from twofold.web.protocol.replies import *  # noqa: F403 - all messages are found here
from twofold.web.protocol.replies import Reply
from twofold.web.protocol.requests import *  # noqa: F403
from twofold.web.protocol.requests import AnyRequest, Request

MAX_MESSAGE_BYTES: Final = 16_384
"""Maximum size of a message."""

_REQUESTS: Final = msgspec.json.Decoder(AnyRequest)
_ENCODER: Final = msgspec.json.Encoder()


class InvalidMessage(InvalidInput):
    """A message that is not a valid request; its connection is closed."""


def parse_request(data: bytes | str) -> AnyRequest:
    """Parse a message of the page; raises InvalidMessage."""
    if len(data) > MAX_MESSAGE_BYTES:
        raise InvalidMessage(
            f"expected a message of at most {MAX_MESSAGE_BYTES} bytes, got {len(data)}"
        )
    try:
        request: AnyRequest = _REQUESTS.decode(data)
        return request
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidMessage(f"expected a request: {printable(str(error))[:200]}") from None


def format_message(message: Request | Reply) -> bytes:
    """A message as JSON."""
    return _ENCODER.encode(message)
