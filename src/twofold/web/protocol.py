"""The messages between page and server over the WebSocket: JSON objects; no socket here.

Every message has a `type`. The `ref` of a `Request` comes back in each `Reply` to it. Replies with
`ref` 0 go to every session that follows the game. Seeds and scores of analyses are text, since
numbers in JavaScript are exact up to 2^53 only. Tiles are numbers, 0 for an empty cell, row by row.
Moves are `u`, `r`, `d`, `l`.

    >>> parse_request(b'{"type":"move","ref":7,"game":"k3","move":"u","move_number":0}')
    MoveRequest(game='k3', move='u', move_number=0, ref=7)
"""

import contextlib
import logging
from collections.abc import Callable
from typing import Annotated, Final, Literal

import msgspec

from twofold.errors import InvalidInput, TwofoldError
from twofold.game.notation import printable
from twofold.game.step import TileSlide
from twofold.games.judge import Label
from twofold.games.makers import Kind
from twofold.games.reasons import MoveReason
from twofold.limits import MAX_TEXT
from twofold.players.base import describe

Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
Id = Annotated[str, msgspec.Meta(max_length=64, pattern="^[A-Za-z0-9_-]*$")]
Letter = Literal["u", "r", "d", "l"]
Note = Literal["", "newer", "parted", "deleted"]
Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
Pace = Annotated[float, msgspec.Meta(ge=1e-6, le=1e9)]
Ref = Annotated[int, msgspec.Meta(ge=0, le=2**53)]

Number = Annotated[str, msgspec.Meta(max_length=20, pattern="^[0-9]*$")]
"""An integer as text, since integers in JSON are exact up to 2^53 only."""


class Request(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Base of the messages of the page; `ref` comes back in the replies."""

    ref: Ref = 0


class GameRequest(Request, frozen=True):
    """Base of those about a game that the page follows."""

    game: Id


class OpenRequest(Request, tag="open", frozen=True):
    """Follow a game; reply `GameState`, then its changes.

    An empty id means the game played last, or a new one if there is none.
    """

    game: Id = ""


class NewRequest(Request, tag="new", frozen=True):
    """Begin a game; reply `GameState`. The game before it is kept.

    Attributes:
        rules: empty for standard rules.
        seed: empty for a random one.
        board: first board; empty for that of the seed.
        score: initial score, if a board is given, in points.
        source: id of a game to copy up to `move_number`, with its rules, seed and start.
        keep: true to save it; boards of a race are not saved.
    """

    rules: Text = ""
    seed: Text = ""
    board: Text = ""
    score: Count = 0
    source: Id = ""
    move_number: Count = 0
    keep: bool = True


class MoveRequest(GameRequest, tag="move", frozen=True):
    """Make a move; all followers get `StepReply`.

    Attributes:
        move_number: number of moves before it; refused unless it is that of the game.
    """

    move: Letter
    move_number: Count


class UndoRequest(GameRequest, tag="undo", frozen=True):
    """Undo the last move; reply `GameState` with `undone`."""


class RedoRequest(GameRequest, tag="redo", frozen=True):
    """Redo the last undone move; reply `StepReply`."""


class TakeBackRequest(GameRequest, tag="take_back", frozen=True):
    """Undo all moves from the first one of a player on; else withdraw a hint for this board.

    Then the game counts as played by hand again; reply `GameState`.
    """


class CloseRequest(GameRequest, tag="close", frozen=True):
    """Stop following a game; no reply. Without followers, an unsaved game ends.

    With `unplayed`, so does a game in which nothing has happened.
    """

    unplayed: bool = False


class AutoplayRequest(GameRequest, tag="autoplay", frozen=True):
    """Start autoplay, or change player and speed; steps or frames follow, then `AutoplayEnded`.

    The present player continues until a new one is loaded.

    Attributes:
        player: spec; empty for the default player.
        moves_per_second: maximum speed, null for none. Moves come as steps up to
            `page_game.STEPS_PER_SECOND`, and if `moves` is 1; otherwise as frames.
        stop_tile: pause once this tile is made; 0 for never.
        moves: pause after this number of moves; 0 for no limit.
    """

    player: Text = ""
    moves_per_second: Pace | None = None
    stop_tile: Annotated[int, msgspec.Meta(ge=0, le=2**35)] = 0
    moves: Count = 0


class PauseRequest(GameRequest, tag="pause", frozen=True):
    """End autoplay; reply `AutoplayEnded`."""


class ViewRequest(GameRequest, tag="view", frozen=True):
    """View a position without changing the game; reply `PositionReply`."""

    move_number: Count


class AnalyseBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A board to analyse.

    Attributes:
        board: exponents or tiles.
        rules: empty for standard rules on a board of that shape.
        score: score so far, in points, as a number or as text; null or empty if unknown.
        player: spec; empty for the default player.
        seconds: time limit, at most 60; without any limit the player's own apply.
        nodes: maximum number of positions.
    """

    board: Text
    rules: Text = ""
    score: int | Number | None = None
    player: Text = ""
    ply: int | None = None
    seconds: float | None = None
    nodes: int | None = None


class AnalyseRequest(AnalyseBody, tag="analyse", kw_only=True, frozen=True):
    """Value the four moves; `AnalysisReply`s of increasing depth, the last one `final`.

    It cancels the session's earlier analysis.

    Attributes:
        outcomes: true for `OutcomesReply`s, if the player has solved the game.
        game: id of a game that the person plays, for a hint: it is counted, and refused in a daily
            game. Empty for other analyses.
    """

    ref: Ref = 0
    outcomes: bool = False
    game: Id = ""


class StopRequest(Request, tag="stop", frozen=True):
    """Stop this session's analysis and review; they send the result found so far."""


class ReviewRequest(GameRequest, tag="review", frozen=True):
    """Judge the moves of a saved game; `Judged` replies, then `Reviewed`.

    It cancels the session's earlier review. Player and ply are those of the judge. The moves from
    number `start` on are judged first.
    """

    player: Text = ""
    ply: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None
    start: Count = 0


AnyRequest = (
    OpenRequest
    | NewRequest
    | MoveRequest
    | UndoRequest
    | RedoRequest
    | TakeBackRequest
    | CloseRequest
    | AutoplayRequest
    | PauseRequest
    | ViewRequest
    | AnalyseRequest
    | StopRequest
    | ReviewRequest
)


class Reply(msgspec.Struct, kw_only=True, frozen=True):
    """Base of all messages of the server; `ref` is that of the request, 0 for none."""

    ref: int = 0


class PlayerInfo(msgspec.Struct, frozen=True):
    """A player to choose from.

    Attributes:
        values: true if it values moves, as hints and reviews need.
        elsewhere: name of the player for boards other than 4x4; empty if it is the same.
        plain: for a strength such as `strong`, its player on 4x4; else empty.
        strength: the strength that the player is on 4x4; empty if it is none.
        shapes: rows and columns of the boards that it plays on, such as `3x4`; empty for all.
        takes_limits: true if its search can be limited in time and depth.
    """

    spec: str
    name: str
    summary: str
    values: bool
    elsewhere: str = ""
    plain: str = ""
    strength: str = ""
    shapes: tuple[str, ...] = ()
    takes_limits: bool = True


class Welcome(Reply, tag="welcome", frozen=True):
    """The first message of a connection; the first player is the default.

    Attributes:
        ready: true if the default player is loaded; otherwise `Ready` follows.
        server: differs at each start of the server; after a crash the last moves may be missing.
        command: starts such a server again.
    """

    version: str
    players: list[PlayerInfo]
    ready: bool
    server: str = ""
    command: str = ""


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
        kind: how it has been played so far.
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
    kind: Kind = "hand"


class GameState(Reply, tag="game", frozen=True):
    """The state of a game.

    Attributes:
        kept: true if it is saved.
        player: the players: `me`, a spec, or several.
        date: when it began, ISO 8601 with time zone.
        first: move number of the earliest position that can be viewed.
        undone: letter of a move that was just undone; empty otherwise.
        note: what another program just did: `newer` (added moves, shown here), `parted` (saved
            other moves) or `deleted`; empty for nothing.
        was: the former id, if the game got a new one because of `note`.
        daily: the day whose daily game it is, such as `2026-11-23`; empty for any other game.
        largest: the largest tile of the person's other games under these rules; 0 for none.
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
    largest: int = 0


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
    """A position of a game; `next_move` is the letter of the move made there, empty at the end."""

    game: str
    board: str
    tiles: list[int]
    score: int
    move_number: int
    next_move: str


class AutoplayEnded(Reply, tag="ended", frozen=True):
    """Autoplay has ended; `message` is the error, if it failed.

    The reason `stopped` means at the goal; `tile` and `moves` are limits of the request.
    """

    game: str
    reason: Literal["over", "stopped", "tile", "moves", "paused", "failed"]
    now: GameNow
    message: str = ""


# ---- analyses, outcomes, reviews

BarKind = Literal["none", "scale", "discounted", "tile", "points", "about"]
"""What an evaluation bar says."""


class MoveValueInfo(msgspec.Struct, frozen=True):
    """The value of one move, null for an illegal move and without values.

    `ratio` is relative to the best move, 0 to 1; `reward` is in points. A move that was not `tried`
    has a value above the best one's and no ratio: too improbable for the value to be trusted.

    Attributes:
        label: grade of the move: `best`, `fine`, `inaccuracy`, `mistake`, `blunder`; empty where
            values cannot be compared.
        reason: why it is good or bad, with the label.
    """

    move: Letter
    legal: bool
    value: float | None
    ratio: float | None
    reward: int
    depth: int
    nodes: int
    tried: bool = True
    label: Label | Literal[""] = ""
    reason: MoveReason | None = None


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
        rules: of the game, as text.
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
    rules: str = ""


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
        ratio: share of the best move's value that the move keeps, 0 to 1.
        shares: the same of up, right, down and left; null for illegal moves.
        label: `best`, `fine`, `inaccuracy`, `mistake` or `blunder`.
        table: the endgame table that gave the ratio, or null.
        reason: what an inaccuracy or a worse move breaks or risks; null for other moves.
    """

    move_number: int
    move: Letter
    best: Letter
    values: list[float | None]
    ratio: float
    shares: list[float | None]
    label: Label
    unit: str
    table: TableAnswerInfo | None = None
    reason: MoveReason | None = None


class Judged(Reply, tag="judged", frozen=True):
    """Judgements of some moves of a game; `done` of `total` moves are judged, by `player`.

    `accuracy` is that of all moves judged so far, in percent; null if none had an alternative.
    """

    game: str
    player: str
    judgements: list[JudgementInfo]
    done: int
    total: int
    accuracy: float | None
    unit: str = ""


class ReviewPart(msgspec.Struct, frozen=True):
    """The review of some moves; `accuracy` in percent, null if no move had an alternative."""

    moves: int
    accuracy: float | None


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


SendReply = Callable[[Reply], None]

MAX_MESSAGE_BYTES: Final = 16_384
"""Maximum size of a message."""

MAX_ERROR: Final = 300
"""Maximum length of an unexpected error, in characters."""

_REQUESTS: Final = msgspec.json.Decoder(AnyRequest)
_ENCODER: Final = msgspec.json.Encoder()
_LOG: Final = logging.getLogger("twofold.web")


class InvalidMessage(InvalidInput):
    """A message that is no JSON; its connection is closed."""


class _Message(msgspec.Struct):
    ref: Ref = 0


def parse_request(data: bytes | str) -> AnyRequest | RefusedReply:
    """Parse a message of the page; raises InvalidMessage.

    Returns a refusal for a request that this version does not know: the page may be an older one.
    """
    try:
        request: AnyRequest = _REQUESTS.decode(data)
        return request
    except msgspec.ValidationError as error:
        message = f"expected a request: {printable(str(error))[:200]}. Reload the page"
        known = _Message()
        with contextlib.suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
            known = msgspec.json.decode(data, type=_Message)
        return RefusedReply(ref=known.ref, message=message, kind="InvalidMessage")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise InvalidMessage("expected a message in JSON") from None


def format_message(message: AnyRequest | Reply) -> bytes:
    """A message as JSON."""
    return _ENCODER.encode(message)


def refused(error: Exception, ref: int = 0) -> RefusedReply:
    """An error as a reply to request `ref`; unexpected errors are logged with a traceback."""
    if isinstance(error, TwofoldError):
        return RefusedReply(ref=ref, message=str(error), kind=type(error).__name__)
    _LOG.error("something went wrong", exc_info=error)
    text = f"something went wrong inside twofold: {printable(describe(error))[:MAX_ERROR]}"
    return RefusedReply(ref=ref, message=text, kind="InternalError")
