"""What the page asks."""

from typing import Annotated, Final, Literal

import msgspec

from twofold.limits import MAX_TEXT

STEPS_PER_SECOND: Final = 30
"""Up to this speed every move of a player is a `Step`."""

FRAMES_PER_SECOND: Final = 60
"""Most `Frame`s a second of one game."""

Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
Id = Annotated[str, msgspec.Meta(max_length=64, pattern="^[A-Za-z0-9_-]*$")]
Letter = Literal["u", "r", "d", "l"]
Note = Literal["", "newer", "parted", "deleted", "damaged"]
Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
Positive = Annotated[float, msgspec.Meta(gt=0, le=1e9)]


class Request(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Base of everything the page sends.

    Attributes:
        ref: number that the replies carry; 0 where the page does not care.
    """

    ref: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0


class OpenRequest(Request, tag="open", frozen=True):
    """Show a game: answered by `GameState`, and followed by what happens in it.

    Attributes:
        game: its id; empty for the game played last, or a new one where there is none: under the
            rules that the owner's player is for, or the original ones.
    """

    game: Id = ""


class NewRequest(Request, tag="new", frozen=True):
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


class MoveRequest(Request, tag="move", frozen=True):
    """Make a move: answered by `Step` to all who have the game open.

    Attributes:
        move_number: moves made before this one, as the page knows it; where it differs from
            the game's the move is refused, for it was meant for another board.
    """

    game: Id
    move: Letter
    move_number: Count


class UndoRequest(Request, tag="undo", frozen=True):
    """Take the last move back: answered by `GameState`, with `undone`."""

    game: Id


class RedoRequest(Request, tag="redo", frozen=True):
    """Make the move undone last again: answered by `Step`."""

    game: Id


class ViewRequest(Request, tag="view", frozen=True):
    """Look at an earlier position without changing the game: answered by `Position`."""

    game: Id
    move_number: Count


class CloseRequest(Request, tag="close", frozen=True):
    """Stop following a game. One that is not kept ends with its last follower. No answer.

    Attributes:
        game: the game.
        unplayed: forget it, if nothing has happened in it and nobody else follows it.
    """

    game: Id
    unplayed: bool = False


class GamesRequest(Request, tag="games", frozen=True):
    """List the kept games, last played first: answered by `Games`."""


class DeleteRequest(Request, tag="delete", frozen=True):
    """Delete a kept game: answered by `Games`, without it."""

    game: Id


class AutoplayRequest(Request, tag="autoplay", frozen=True):
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


class PauseRequest(Request, tag="pause", frozen=True):
    """End autoplay: answered by `AutoplayEnded`."""

    game: Id


class BoardRequest(Request, tag="board", frozen=True):
    """Read a board as text: answered by `BoardInfo`.

    Attributes:
        text: exponents or tiles, as `Board.parse` reads them.
    """

    text: Text


class AnalyseRequest(Request, tag="analyse", frozen=True):
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
        game: the game whose board it is, where the values are hints for the person who plays it:
            they are counted, and refused in a daily game; empty for any other analysis.
    """

    board: Text
    rules: Text = ""
    score: Annotated[str, msgspec.Meta(max_length=20, pattern="^[0-9]*$")] = ""
    player: Text = ""
    seconds: Positive | None = None
    nodes: Annotated[int, msgspec.Meta(ge=1, le=10**15)] | None = None
    ply: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None
    outcomes: bool = False
    game: Id = ""


class StopRequest(Request, tag="stop", frozen=True):
    """End this session's analysis and review with what they have. No answer of its own."""


class ReviewRequest(Request, tag="review", frozen=True):
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
