"""Messages about games: their state and their changes."""

from typing import Literal

import msgspec

from twofold.limits import MAX_SIDE
from twofold.play.kept import GameInfo
from twofold.step import TileSlide
from twofold.web.protocol.requests import Letter, Note


class Reply(msgspec.Struct, kw_only=True, frozen=True):
    """Base of all messages of the server; `ref` is that of the request, 0 for none."""

    ref: int = 0


class PlayerInfo(msgspec.Struct, frozen=True):
    """A player to choose from.

    Attributes:
        values: true if it values moves, as hints and reviews need.
        elsewhere: name of the player for boards other than 4x4; empty if it is the same.
        plain: for a strength such as `strong`, its player on 4x4; else empty.
        largest: most rows and columns of a board that it plays on.
        smallest: fewest of them.
        takes_limits: true if its search can be limited in time and depth.
    """

    spec: str
    name: str
    summary: str
    values: bool
    elsewhere: str = ""
    plain: str = ""
    largest: int = MAX_SIDE
    smallest: int = 1
    takes_limits: bool = True


class Welcome(Reply, tag="welcome", frozen=True):
    """The first message of a connection; the first player is the default.

    Attributes:
        ready: true if the default player is loaded; otherwise `Ready` follows.
        max_side: maximum number of rows or columns.
        server: differs at each start of the server; after a crash the last moves may be missing.
    """

    version: str
    players: list[PlayerInfo]
    ready: bool
    max_side: int
    server: str = ""


class Ready(Reply, tag="ready", frozen=True):
    """The default player is loaded."""


class RefusedReply(Reply, tag="refused", frozen=True):
    """A request failed: a sentence, and the name of the error's class, such as `IllegalMove`."""

    message: str
    kind: str


class RulesInfo(msgspec.Struct, frozen=True):
    """Rules as fields."""

    text: str
    rows: int
    cols: int
    goal: int
    stop_at_goal: bool
    start_tiles: int
    spawn: list[tuple[int, float]]


class GameNow(msgspec.Struct, frozen=True):
    """The current position of a game.

    Attributes:
        tiles: row by row.
        status: `going`, `won` (and can continue), `stopped` (at the goal) or `over`.
        legal: letters of the legal moves.
        best: best score under these rules, including this game's, undone moves and deleted games,
            but not games from a given board.
        undos: number of undone moves.
        autoplay: spec of the player that is playing; empty for the person.
        hints: number of positions for which hints were shown.
    """

    board: str
    tiles: list[int]
    score: int
    move_number: int
    status: Literal["going", "won", "stopped", "over"]
    legal: str
    can_undo: bool
    can_redo: bool
    undos: int
    best: int
    autoplay: str
    hints: int = 0


class GameState(Reply, tag="game", frozen=True):
    """The state of a game.

    Attributes:
        kept: true if it is saved.
        player: the players: `me`, a spec, or several.
        date: when it began, ISO 8601 with time zone.
        first: move number of the earliest position that can be viewed.
        undone: letter of a move that was just undone; empty otherwise.
        note: what another program just did to the file: `newer` (added moves, shown here), `parted`
            (saved other moves), `deleted` or `damaged`; empty for nothing.
        was: the former id, if the game got a new file because of `note`.
        daily: the day whose daily game it is, such as `2026-11-23`; empty for any other game.
    """

    game: str
    rules: RulesInfo
    seed: str
    kept: bool
    player: str
    date: str
    first: int
    now: GameNow
    undone: str = ""
    note: Note = ""
    was: str = ""
    daily: str = ""


class StepReply(Reply, tag="step", frozen=True):
    """One move of a game.

    Attributes:
        slides: the paths of all tiles of the board before.
        cell, tile: the new tile and its place.
        by: spec of the player that moved; empty for the person.
        goal_reached: true if this move made the first goal tile of the board.
    """

    game: str
    move: Letter
    reward: int
    slides: list[TileSlide]
    cell: int
    tile: int
    by: str
    goal_reached: bool
    now: GameNow


class FrameReply(Reply, tag="frame", frozen=True):
    """A position of a game that is too fast to show each move; speed over the last second."""

    game: str
    now: GameNow
    moves_per_second: float


class PositionReply(Reply, tag="position", frozen=True):
    """A position; `last` is the last move number of the game.

    `next_move` is the letter of the move made there, empty at the end.
    """

    game: str
    board: str
    tiles: list[int]
    score: int
    move_number: int
    last: int
    next_move: str


class AutoplayEnded(Reply, tag="ended", frozen=True):
    """Autoplay has ended; `message` is the error, if it failed.

    The reason `stopped` means at the goal; `tile` and `moves` are limits of the request.
    """

    game: str
    reason: Literal["over", "stopped", "tile", "moves", "paused", "failed"]
    now: GameNow
    message: str = ""


class GamesReply(Reply, tag="games", frozen=True):
    """The saved games, last played first."""

    games: list[GameInfo]


class BoardInfo(Reply, tag="board", frozen=True):
    """A parsed board; `score` is null if the text has none."""

    board: str
    tiles: list[int]
    rows: int
    cols: int
    legal: str
    max_tile: int
    score: int | None = None
