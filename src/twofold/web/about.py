"""What is known of a live game beside its moves."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class About:
    """A game beside its moves.

    Attributes:
        game: its id.
        kept: whether it is stored.
        player: the player of the moves so far; empty where there is no move.
        date: when it began.
        comments: comments by move number, from a record.
        tags: further tags, from a record.
    """

    game: str
    kept: bool = True
    player: str = ""
    date: str = ""
    comments: Mapping[int, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
