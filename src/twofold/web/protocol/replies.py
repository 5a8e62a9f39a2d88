"""What the server says of games: where they stand, what happens in them."""

from typing import Literal

import msgspec

from twofold.play.kept import GameInfo
from twofold.web.protocol.requests import Letter, Note


class Reply(msgspec.Struct, kw_only=True, frozen=True):
    """Base of everything the server sends.

    Attributes:
        ref: of the request it answers; 0 if none.
    """

    ref: int = 0


class PlayerInfo(msgspec.Struct, frozen=True):
    """A player that can be picked from a list.

    Attributes:
        spec: what to send.
        name: short name to show.
        summary: one line about it.
        values: whether it values moves, so that it can give hints and reviews.
        elsewhere: name of the player that takes its place on boards other than 4x4; empty where
            none does.
    """

    spec: str
    name: str
    summary: str
    values: bool
    elsewhere: str = ""


class Welcome(Reply, tag="welcome", frozen=True):
    """The first message of a connection.

    Attributes:
        version: of twofold.
        players: those to pick from; the first is the default.
        ready: whether the default player is loaded; `Ready` follows where it is not.
        max_side: most rows or columns of a board.
        server: another text at each start of the server: one that was killed may have games as
            they were before the last moves.
    """

    version: str
    players: list[PlayerInfo]
    ready: bool
    max_side: int
    server: str = ""


class Ready(Reply, tag="ready", frozen=True):
    """The default player is loaded."""


class RefusedReply(Reply, tag="refused", frozen=True):
    """A request could not be done.

    Attributes:
        message: one sentence for the person.
        kind: name of the error's class, such as `IllegalMove`.
    """

    message: str
    kind: str


class RulesInfo(msgspec.Struct, frozen=True):
    """Rules, taken apart for the page."""

    text: str
    rows: int
    cols: int
    goal: int
    stop_at_goal: bool
    start_tiles: int
    spawn: list[tuple[int, float]]


class GameNow(msgspec.Struct, frozen=True):
    """Where a game stands; part of `GameState` and `StepReply`.

    Attributes:
        board: text of the board.
        tiles: the same as tiles, row by row.
        status: `going`, `won` (and may go on), `stopped` (at the goal) or `over`.
        legal: letters of the legal moves.
        best: best score of any kept game under these rules, this one included; scores count
            that were undone or whose game was deleted, but not those of games that began on a
            given board.
        undos: moves undone so far.
        autoplay: spec of the player that plays; empty where the person does.
        hints: for how many positions hints were shown.
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
    """A whole game, as it stands.

    Attributes:
        game: id.
        kept: whether it is stored.
        player: who played: `me`, a spec, or several.
        date: when it began, ISO 8601 with time zone.
        first: move number before the first move that can be looked at.
        undone: letter of the move that was just taken back; empty else.
        note: what another program has just done to its file; empty for nothing. `newer`: it went
            on with the game, which is shown here. `parted`: it saved other moves. `deleted`: it
            deleted the game. `damaged`: it wrote something else there.
        was: the id until now, where another program has `parted`, `deleted` or `damaged` the
            file, so that this game goes on in a file of its own.
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


class TileSlide(msgspec.Struct, array_like=True, frozen=True):
    """A tile that a move takes from one cell to another; `[from, to, merged]` in JSON.

    Tiles that stay where they are have a slide too, so that the slides of a step name every tile.
    Two tiles that merge have the same `to`, and `merged` is true for both.
    """

    start: int
    end: int
    merged: bool


class StepReply(Reply, tag="step", frozen=True):
    """One move of a game, with what the page needs to animate it.

    Attributes:
        slides: where each tile of the board before goes.
        cell: where the new tile appears.
        tile: the new tile.
        by: spec of the player who moved; empty for the person.
        goal_reached: whether this move made the goal tile for the first time.
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
    """A position of a game that goes too fast to show each move.

    Attributes:
        moves_per_second: of the last second or so.
    """

    game: str
    now: GameNow
    moves_per_second: float


class PositionReply(Reply, tag="position", frozen=True):
    """An earlier position of a game.

    Attributes:
        last: highest move number of the game.
        next_move: letter of the move made there; empty at the end.
    """

    game: str
    board: str
    tiles: list[int]
    score: int
    move_number: int
    last: int
    next_move: str


class AutoplayEnded(Reply, tag="ended", frozen=True):
    """A player moves no longer.

    Attributes:
        reason: `over`, `stopped` (at the goal), `tile` (the one asked for), `moves` (as many as
            asked for), `paused` or `failed`.
        message: what went wrong, where it failed.
    """

    game: str
    reason: Literal["over", "stopped", "tile", "moves", "paused", "failed"]
    now: GameNow
    message: str = ""


class GamesReply(Reply, tag="games", frozen=True):
    """The kept games, last played first."""

    games: list[GameInfo]


class BoardInfo(Reply, tag="board", frozen=True):
    """A board that was read."""

    board: str
    tiles: list[int]
    rows: int
    cols: int
    legal: str
    max_tile: int
