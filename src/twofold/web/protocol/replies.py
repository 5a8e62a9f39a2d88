"""Messages of the server: about games, positions and reviews."""

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


# ---- analyses, outcomes, reviews

BarKind = Literal["none", "scale", "discounted", "tile", "points", "about"]
"""What an evaluation bar says."""


class MoveValueInfo(msgspec.Struct, frozen=True):
    """The value of one move, null for an illegal move and without values.

    `ratio` is relative to the best move, 0 to 1; `reward` is in points. A move that was not `tried`
    has a value above the best one's and no ratio: too improbable for the value to be trusted.
    """

    move: Letter
    legal: bool
    value: float | None
    ratio: float | None
    reward: int
    depth: int
    nodes: int
    tried: bool = True


class TableAnswerInfo(msgspec.Struct, frozen=True):
    """The answer of an endgame table, such as `442-512`, that chooses the move.

    `chances` are those of making `target` after up, right, down, left; null if not in the table.
    """

    name: str
    target: int
    chances: list[float | None]


class AnalysisReply(Reply, tag="analysis", frozen=True):
    """An analysis of a position.

    Attributes:
        final: true if no better one follows.
        unit: of the values, such as `points`.
        depth: as text, such as `3 plies`.
        source: name of the evaluator.
        line: principal variation: moves and spawns, such as `l@5:2`.
        bar: evaluation bar, 0 to 1; null if the player values nothing.
        bar_kind: `none`, `scale` and `discounted` say why there is no bar, as the player values no
            moves, or in a unit of its own, or counts later points less; `tile`: the bar is the
            chance of a tile; `points` and `about`: points still to come, exactly or expected.
        bar_amount: that tile, or those points.
        outcomes: true if `OutcomesReply`s follow.
        table: the endgame table that chooses the best move, or null. The ratios of the moves that
            it knows are then ratios of chances.
        hints: number of positions of the game with hints, this one included; null outside games.
    """

    board: str
    final: bool
    player: str
    best: Letter
    moves: list[MoveValueInfo]
    unit: str
    depth: str
    nodes: int
    seconds: float
    source: str
    line: list[str]
    bar: float | None
    bar_kind: BarKind = "none"
    bar_amount: float = 0.0
    outcomes: bool = False
    table: TableAnswerInfo | None = None
    hints: int | None = None


class TileChance(msgspec.Struct, frozen=True):
    """The chance that a tile is the largest at the end, and the chance to reach it, 0 to 1."""

    tile: int
    chance: float
    reached: float


class OutcomesReply(Reply, tag="outcomes", frozen=True):
    """How games end from a position under optimal play, exactly; progress replies come first.

    Attributes:
        final: true for the last reply.
        done: share of the states that are done, 0 to 1.
        tiles: ascending; empty before the end.
        moves: mean number of moves to the end.
        note: why there are no outcomes, in English; empty otherwise.
        reason: `stopped` or `late`, after `seconds`, where the note says that; empty otherwise.
        setting: the shape, and the spawns if they are not the usual ones.
        goal: the tile whose chance `value` is, or at which play stops; 0 if there is none.
        value: the chance of the goal if `of_goal` is true, else the expected further points.
    """

    board: str
    final: bool
    done: float
    tiles: list[TileChance] = msgspec.field(default_factory=list)
    moves: float = 0.0
    note: str = ""
    reason: Literal["", "stopped", "late"] = ""
    seconds: float = 0.0
    setting: str = ""
    goal: int = 0
    of_goal: bool = False
    value: float = 0.0


class JudgementInfo(msgspec.Struct, frozen=True):
    """The judgement of one move of a game.

    Attributes:
        move_number: number of moves before it.
        values: of up, right, down, left, in `unit`; null for illegal moves.
        ratio: value relative to the best move, 0 to 1.
        accuracy: in percent.
        label: `perfect`, `excellent`, `good`, `inaccuracy`, `mistake`, `blunder`, `severe blunder`.
        table: the endgame table that gave the ratio, or null.
    """

    move_number: int
    move: Letter
    best: Letter
    values: list[float | None]
    ratio: float
    accuracy: float
    label: str
    unit: str
    table: TableAnswerInfo | None = None


class Judged(Reply, tag="judged", frozen=True):
    """Judgements of some moves of a game, in order; `done` of `total` moves are judged.

    `accuracy` is that of all moves judged so far, in percent; null if none had an alternative.
    """

    game: str
    judgements: list[JudgementInfo]
    done: int
    total: int
    accuracy: float | None
    unit: str = ""


class ReviewPart(msgspec.Struct, frozen=True):
    """The review of some moves; `accuracy` in percent.

    `match_rate` is the share of the choices that were the best move. Both are null if no move had
    an alternative.
    """

    moves: int
    accuracy: float | None
    match_rate: float | None


class PhaseInfo(ReviewPart, frozen=True):
    """The review of a phase, after tile `after` was made and until tile `before` was.

    0 stands for the start or the end of the game; `start` is a move number.
    """

    after: int = 0
    before: int = 0
    start: int = 0


class Reviewed(Reply, tag="reviewed", frozen=True):
    """The end of a review, and the figures of parts of the game.

    Attributes:
        complete: true if every move was judged.
        own: the person's moves only; null if one made all moves, or if it is unknown.
        helped: the moves that a player made, if `own` is there.
        lacks_tables: the game was played with endgame tables, the judge has none.
    """

    game: str
    player: str
    unit: str
    complete: bool
    own: ReviewPart | None = None
    helped: ReviewPart | None = None
    phases: list[PhaseInfo] = msgspec.field(default_factory=list)
    lacks_tables: bool = False
