"""Messages of the page."""

from typing import Annotated, Literal

import msgspec

from twofold.limits import MAX_BOARD, MAX_PRESSER, MAX_TEXT

Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
Id = Annotated[str, msgspec.Meta(max_length=64, pattern="^[A-Za-z0-9_-]*$")]
Letter = Literal["u", "r", "d", "l"]
Note = Literal["", "newer", "parted", "deleted", "damaged"]
Name = Annotated[str, msgspec.Meta(max_length=MAX_PRESSER, pattern="^[^\\x00-\\x1f\\x7f]*$")]
Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
Positive = Annotated[float, msgspec.Meta(gt=0, le=1e9)]


class Request(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Base of all messages of the page; `ref` comes back in the replies."""

    ref: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0


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


class MoveRequest(Request, tag="move", frozen=True):
    """Make a move; all followers get `StepReply`.

    Attributes:
        move_number: number of moves before it; refused unless it is that of the game.
        by: the player that presses the keys of the page; empty for the person.
    """

    game: Id
    move: Letter
    move_number: Count
    by: Name = ""


class UndoRequest(Request, tag="undo", frozen=True):
    """Undo the last move; reply `GameState` with `undone`."""

    game: Id


class RedoRequest(Request, tag="redo", frozen=True):
    """Redo the last undone move; reply `StepReply`."""

    game: Id


class ViewRequest(Request, tag="view", frozen=True):
    """View a position without changing the game; reply `PositionReply`."""

    game: Id
    move_number: Count


class CloseRequest(Request, tag="close", frozen=True):
    """Stop following a game; no reply. Without followers, an unsaved game ends.

    With `unplayed`, so does a game in which nothing has happened.
    """

    game: Id
    unplayed: bool = False


class GamesRequest(Request, tag="games", frozen=True):
    """List the saved games, last played first; reply `GamesReply`."""


class DeleteRequest(Request, tag="delete", frozen=True):
    """Delete a saved game; reply `GamesReply` without it."""

    game: Id


class AutoplayRequest(Request, tag="autoplay", frozen=True):
    """Start autoplay, or change player and speed; steps or frames follow, then `AutoplayEnded`.

    The present player continues until a new one is loaded.

    Attributes:
        player: spec; empty for the default player.
        moves_per_second: maximum speed, null for none. Moves come as steps up to
            `web.autoplay.STEPS_PER_SECOND`, and if `moves` is 1; otherwise as frames.
        stop_tile: pause once this tile is made; 0 for never.
        moves: pause after this number of moves; 0 for no limit.
    """

    game: Id
    player: Text = ""
    moves_per_second: Positive | None = None
    stop_tile: Annotated[int, msgspec.Meta(ge=0, le=2**35)] = 0
    moves: Count = 0


class PauseRequest(Request, tag="pause", frozen=True):
    """End autoplay; reply `AutoplayEnded`."""

    game: Id


class BoardRequest(Request, tag="board", frozen=True):
    """Parse a board in any form, or the last one of a game; reply `BoardInfo`."""

    text: Annotated[str, msgspec.Meta(max_length=MAX_BOARD)]


class AnalyseRequest(Request, tag="analyse", frozen=True):
    """Value the four moves; `AnalysisReply`s of increasing depth, the last one `final`.

    It cancels the session's earlier analysis.

    Attributes:
        rules: empty for standard rules on a board of that shape.
        score: in points, as text; empty if unknown.
        player: spec; empty for the default player.
        seconds: time limit, at most 60; without any limit the player's own apply.
        nodes: maximum number of positions.
        outcomes: true for `OutcomesReply`s, if the player has solved the game.
        game: id of a game that the person plays, for a hint: it is counted, and refused in a daily
            game. Empty for other analyses.
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
    """Stop this session's analysis and review; they send the result found so far."""


class ReviewRequest(Request, tag="review", frozen=True):
    """Judge the moves of a saved game; `Judged` replies, then `Reviewed`.

    It cancels the session's earlier review. Player and ply are those of the judge.
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
