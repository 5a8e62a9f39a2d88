"""What the page and the server say to each other over the WebSocket: JSON objects, no socket here.

Every message has a `type`. The page sends a `Request`; its `ref` comes back in each `Reply` that
it causes, so that the page knows what an answer belongs to. Replies with `ref` 0 come unasked, to
every session that has the game open: a game that is open in two tabs is one game.

Seeds and the score a board is analysed with are text, for JavaScript's numbers end at 2^53.
Tiles are numbers, 0 for an empty cell, row by row. Moves are `u`, `r`, `d`, `l`.

    >>> parse_request(b'{"type":"move","ref":7,"game":"k3","move":"u","move_number":0}')
    MoveRequest(ref=7, game='k3', move='u', move_number=0)
"""

from typing import Annotated, Final, Literal

import msgspec

from twofold.errors import InvalidInput
from twofold.limits import MAX_TEXT
from twofold.notation import printable
from twofold.play.kept import GameInfo

MAX_MESSAGE_BYTES: Final = 16_384
"""Largest message that is read."""

Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
Id = Annotated[str, msgspec.Meta(max_length=64, pattern="^[A-Za-z0-9_-]*$")]
Letter = Literal["u", "r", "d", "l"]
Note = Literal["", "newer", "parted", "deleted", "damaged"]
Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
Positive = Annotated[float, msgspec.Meta(gt=0, le=1e9)]

# ---- what the page asks


class Request(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Base of everything the page sends.

    Attributes:
        ref: number that the replies carry; 0 where the page does not care.
    """

    ref: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0


class OpenRequest(Request, tag="open"):
    """Show a game: answered by `GameState`, and followed by what happens in it.

    Attributes:
        game: its id; empty for the game played last, or a new one where there is none: under the
            rules that the owner's player is for, or the original ones.
    """

    game: Id = ""


class NewRequest(Request, tag="new"):
    """Begin a game: answered by `GameState`. The game before it is kept.

    Attributes:
        rules: as `Rules.parse` reads them; empty for the original ones.
        seed: seed of the dice; empty for a random one.
        board: the board to begin on; empty for the one of the dice.
        score: points at the start, where a board is given.
        source: id of a game to go on from, at `move_number`: its moves up to there are made.
            Rules, seed and board are then those of that game.
        move_number: where to go on from.
        keep: whether it is stored. The boards of a race are not.
    """

    rules: Text = ""
    seed: Text = ""
    board: Text = ""
    score: Count = 0
    source: Id = ""
    move_number: Count = 0
    keep: bool = True


class MoveRequest(Request, tag="move"):
    """Make a move: answered by `Step` to all who have the game open.

    Attributes:
        move_number: moves made before this one, as the page knows it; where it differs from
            the game's the move is refused, for it was meant for another board.
    """

    game: Id
    move: Letter
    move_number: Count


class UndoRequest(Request, tag="undo"):
    """Take the last move back: answered by `GameState`, with `undone`."""

    game: Id


class RedoRequest(Request, tag="redo"):
    """Make the move undone last again: answered by `Step`."""

    game: Id


class ViewRequest(Request, tag="view"):
    """Look at an earlier position without changing the game: answered by `Position`."""

    game: Id
    move_number: Count


class CloseRequest(Request, tag="close"):
    """Stop following a game. One that is not kept ends with its last follower. No answer.

    Attributes:
        game: the game.
        unplayed: forget it, if nothing has happened in it and nobody else follows it.
    """

    game: Id
    unplayed: bool = False


class GamesRequest(Request, tag="games"):
    """List the kept games, last played first: answered by `Games`."""


class DeleteRequest(Request, tag="delete"):
    """Delete a kept game: answered by `Games`, without it."""

    game: Id


class AutoplayRequest(Request, tag="autoplay"):
    """Let a player make the moves: `Step` or `Frame` follow, then `AutoplayEnded`.

    Sent again while it plays, it changes player and speed at once. A player that takes a moment
    to load is waited for: the one before it plays on until then.

    Attributes:
        player: spec of the player; empty for the default one.
        moves_per_second: at most so many; None for as many as it can. Up to
            `STEPS_PER_SECOND` every move is a `Step`, above that there are `Frame`s; a single
            move (`moves` 1) is always a `Step`.
        stop_tile: pause once this tile is made; 0 for never.
        moves: pause after so many moves; 0 for no limit. 1 plays the best move.
    """

    game: Id
    player: Text = ""
    moves_per_second: Positive | None = None
    stop_tile: Annotated[int, msgspec.Meta(ge=0, le=2**35)] = 0
    moves: Count = 0


class PauseRequest(Request, tag="pause"):
    """End autoplay: answered by `AutoplayEnded`."""

    game: Id


class BoardRequest(Request, tag="board"):
    """Read a board as text: answered by `BoardInfo`.

    Attributes:
        text: exponents or tiles, as `Board.parse` reads them.
    """

    text: Text


class AnalyseRequest(Request, tag="analyse"):
    """Value the four moves: answered by `AnalysisReply`s that improve, the last one `final`.

    A session has one analysis at a time: this one ends the one before.

    Attributes:
        board: the position.
        rules: the rules; empty for the original ones on a board of that shape.
        score: points so far, as text; empty where not known.
        player: spec of the player; empty for the default one.
        seconds: longest time; clamped by the server, and its default where no limit is given.
        nodes: most positions visited.
        ply: depth.
        outcomes: whether `OutcomesReply`s are to follow where the player has solved the game.
    """

    board: Text
    rules: Text = ""
    score: Annotated[str, msgspec.Meta(max_length=20, pattern="^[0-9]*$")] = ""
    player: Text = ""
    seconds: Positive | None = None
    nodes: Annotated[int, msgspec.Meta(ge=1, le=10**15)] | None = None
    ply: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None
    outcomes: bool = False


class StopRequest(Request, tag="stop"):
    """End this session's analysis and review with what they have. No answer of its own."""


class ReviewRequest(Request, tag="review"):
    """Judge the moves of a game: `Judged` messages, then `Reviewed`.

    A session has one review at a time. What was judged before with the same player and limits
    is kept and sent at once.

    Attributes:
        game: id of a game that is kept.
        player: spec of the player who judges; empty for the default one.
        ply: depth for each move; None for the server's default.
    """

    game: Id
    player: Text = ""
    ply: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None


AnyRequest = (
    OpenRequest
    | NewRequest
    | MoveRequest
    | UndoRequest
    | RedoRequest
    | ViewRequest
    | CloseRequest
    | GamesRequest
    | DeleteRequest
    | AutoplayRequest
    | PauseRequest
    | BoardRequest
    | AnalyseRequest
    | StopRequest
    | ReviewRequest
)

# ---- what the server says


class Reply(msgspec.Struct, kw_only=True):
    """Base of everything the server sends.

    Attributes:
        ref: of the request it answers; 0 if none.
    """

    ref: int = 0


class PlayerInfo(msgspec.Struct):
    """A player that can be picked from a list.

    Attributes:
        spec: what to send.
        name: short name to show.
        summary: one line about it.
        values: whether it values moves, so that it can give hints and reviews.
    """

    spec: str
    name: str
    summary: str
    values: bool


class Welcome(Reply, tag="welcome"):
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


class Ready(Reply, tag="ready"):
    """The default player is loaded."""


class Refused(Reply, tag="refused"):
    """A request could not be done.

    Attributes:
        message: one sentence for the person.
        kind: name of the error's class, such as `IllegalMove`.
    """

    message: str
    kind: str


class RulesInfo(msgspec.Struct):
    """Rules, taken apart for the page."""

    text: str
    rows: int
    cols: int
    goal: int
    stop_at_goal: bool
    start_tiles: int
    spawn: list[tuple[int, float]]


class Now(msgspec.Struct):
    """Where a game stands; part of `GameState` and `Step`.

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


class GameState(Reply, tag="game"):
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
    """

    game: str
    rules: RulesInfo
    seed: str
    kept: bool
    player: str
    date: str
    first: int
    now: Now
    undone: str = ""
    note: Note = ""
    was: str = ""


class Slide(msgspec.Struct, array_like=True):
    """A tile that a move takes from one cell to another; `[from, to, merged]` in JSON.

    Tiles that stay where they are have a slide too, so that the slides of a step name every tile.
    Two tiles that merge have the same `to`, and `merged` is true for both.
    """

    start: int
    end: int
    merged: bool


class Step(Reply, tag="step"):
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
    slides: list[Slide]
    cell: int
    tile: int
    by: str
    goal_reached: bool
    now: Now


class Frame(Reply, tag="frame"):
    """A position of a game that goes too fast to show each move.

    Attributes:
        moves_per_second: of the last second or so.
    """

    game: str
    now: Now
    moves_per_second: float


class Position(Reply, tag="position"):
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


class AutoplayEnded(Reply, tag="ended"):
    """A player moves no longer.

    Attributes:
        reason: `over`, `stopped` (at the goal), `tile` (the one asked for), `moves` (as many as
            asked for), `paused` or `failed`.
        message: what went wrong, where it failed.
    """

    game: str
    reason: Literal["over", "stopped", "tile", "moves", "paused", "failed"]
    now: Now
    message: str = ""


class Games(Reply, tag="games"):
    """The kept games, last played first."""

    games: list[GameInfo]


class BoardInfo(Reply, tag="board"):
    """A board that was read."""

    board: str
    tiles: list[int]
    rows: int
    cols: int
    legal: str
    max_tile: int


class MoveValueInfo(msgspec.Struct):
    """What one move is worth.

    Attributes:
        value: in the unit of the analysis; None for an illegal move or where moves are not valued.
        ratio: value by the value of the best move, 0 to 1, for bars; None like `value`.
        reward: points of the move itself.
    """

    move: Letter
    legal: bool
    value: float | None
    ratio: float | None
    reward: int
    depth: int
    nodes: int


class TableInfo(msgspec.Struct):
    """What the endgame table says that chooses the move.

    Attributes:
        name: of the table, such as `442-512`.
        target: the tile whose chance it tells.
        chances: of making that tile after up, right, down and left; None where the table does not
            know the move.
    """

    name: str
    target: int
    chances: list[float | None]


class AnalysisReply(Reply, tag="analysis"):
    """What a player thinks of a position.

    Attributes:
        board: text of the position.
        final: whether nothing better follows.
        best: letter of the best move.
        unit: of the values, such as `points`.
        depth: how deep, in words: `3 plies`.
        source: name of the evaluator.
        line: how the game may go on: moves and spawns, `l@5:2`.
        bar: evaluation bar, 0 to 1; None where the player values nothing.
        bar_text: what it says, in words.
        outcomes: whether `OutcomesReply`s follow.
        table: the endgame table that chooses the best move; None where none does. The ratios of
            the moves that it knows are then those of their chances.
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
    bar_text: str
    outcomes: bool = False
    table: TableInfo | None = None


class TileChance(msgspec.Struct):
    """How often games end with a tile as the largest one.

    Attributes:
        chance: that it is the largest at the end, 0 to 1.
        reached: of ever having one as large.
    """

    tile: int
    chance: float
    reached: float


class OutcomesReply(Reply, tag="outcomes"):
    """How games go on from a position to their end under optimal play; exact.

    It takes until all states that may follow are passed: meanwhile it says how far it is.

    Attributes:
        board: text of the position.
        final: whether nothing follows.
        done: the part of the states that is passed, 0 to 1.
        tiles: ascending; empty before the end, and where there are none.
        moves: to the end, on average.
        problem: what is played, and for what.
        worth: what the position is worth, in words.
        note: why there are none, in a sentence; empty else.
    """

    board: str
    final: bool
    done: float
    tiles: list[TileChance] = []
    moves: float = 0.0
    problem: str = ""
    worth: str = ""
    note: str = ""


class Judgement(msgspec.Struct):
    """What a player thinks of one move of a game.

    Attributes:
        move_number: moves made before it.
        move: the move that was made.
        best: the best move.
        values: of up, right, down, left; None for illegal moves.
        ratio: value of the move by the value of the best, 0 to 1.
        accuracy: of the move, in percent.
        label: `perfect`, `excellent`, `nice try`, `not bad`, `mistake`, `blunder`, `terrible`.
        table: the endgame table that the ratio is from; None where none speaks.
    """

    move_number: int
    move: Letter
    best: Letter
    values: list[float | None]
    ratio: float
    accuracy: float
    label: str
    table: TableInfo | None = None


class Judged(Reply, tag="judged"):
    """Some moves of a game judged, in order.

    Attributes:
        done: moves judged so far.
        total: moves of the game.
        unit: of the values, as in `Reviewed`.
    """

    game: str
    judgements: list[Judgement]
    done: int
    total: int
    unit: str = ""


class Reviewed(Reply, tag="reviewed"):
    """The review of a game as a whole.

    Attributes:
        accuracy: in percent.
        match_rate: share of moves that were the best one.
        goodness_of_fit: product of all ratios.
        labels: how many moves have each label.
        longest_perfect_run: most best moves in a row.
        complete: whether every move was judged.
    """

    game: str
    player: str
    unit: str
    accuracy: float
    match_rate: float
    goodness_of_fit: float
    labels: dict[str, int]
    longest_perfect_run: int
    complete: bool


AnyReply = (
    Welcome
    | Ready
    | Refused
    | GameState
    | Step
    | Frame
    | Position
    | AutoplayEnded
    | Games
    | BoardInfo
    | AnalysisReply
    | OutcomesReply
    | Judged
    | Reviewed
)

_REQUESTS: Final = msgspec.json.Decoder(AnyRequest)
_REPLIES: Final = msgspec.json.Decoder(AnyReply)
_ENCODER: Final = msgspec.json.Encoder()


class InvalidMessage(InvalidInput):
    """A message that is no request: the connection that sent it is closed."""


class StaleMove(InvalidInput):
    """A move was meant for another position than the game's."""


def parse_request(data: bytes | str) -> AnyRequest:
    """Read a message of the page.

    Raises:
        InvalidMessage: it is too long, no JSON, or not of a known type with its fields.
    """
    if len(data) > MAX_MESSAGE_BYTES:
        raise InvalidMessage(
            f"expected a message of at most {MAX_MESSAGE_BYTES} bytes, got {len(data)}"
        )
    try:
        request: AnyRequest = _REQUESTS.decode(data)
        return request
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidMessage(f"expected a request: {printable(str(error))[:200]}") from None


def parse_reply(data: bytes | str) -> AnyReply:
    """Read a message of the server, for clients in Python and for tests.

    Raises:
        InvalidMessage: it is no reply.
    """
    try:
        reply: AnyReply = _REPLIES.decode(data)
        return reply
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidMessage(f"expected a reply: {printable(str(error))[:200]}") from None


def format_message(message: Request | Reply) -> bytes:
    """A message as JSON, as `parse_request` and `parse_reply` read it."""
    return _ENCODER.encode(message)
