"""What the server says of a position or of a whole game: analyses, outcomes, reviews."""

import msgspec

from twofold.web.protocol.replies import Reply
from twofold.web.protocol.requests import Letter


class MoveValueInfo(msgspec.Struct, frozen=True):
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


class TableAnswerInfo(msgspec.Struct, frozen=True):
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


class AnalysisReply(Reply, tag="analysis", frozen=True):
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
    table: TableAnswerInfo | None = None


class TileChance(msgspec.Struct, frozen=True):
    """How often games end with a tile as the largest one.

    Attributes:
        chance: that it is the largest at the end, 0 to 1.
        reached: of ever having one as large.
    """

    tile: int
    chance: float
    reached: float


class OutcomesReply(Reply, tag="outcomes", frozen=True):
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
    tiles: list[TileChance] = msgspec.field(default_factory=list)
    moves: float = 0.0
    problem: str = ""
    worth: str = ""
    note: str = ""


class JudgementInfo(msgspec.Struct, frozen=True):
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
    table: TableAnswerInfo | None = None


class Judged(Reply, tag="judged", frozen=True):
    """Some moves of a game judged, in order.

    Attributes:
        done: moves judged so far.
        total: moves of the game.
        unit: of the values, as in `Reviewed`.
    """

    game: str
    judgements: list[JudgementInfo]
    done: int
    total: int
    unit: str = ""


class ReviewPart(msgspec.Struct, frozen=True):
    """The review of some moves of a game.

    Attributes:
        moves: how many were judged.
        accuracy: in percent; 100 where none was a choice.
        match_rate: share of the choices that were the best move.
    """

    moves: int
    accuracy: float
    match_rate: float


class PhaseInfo(ReviewPart, frozen=True):
    """The review of a phase of a game.

    Attributes:
        after: the tile whose making began it; 0 for the start of the game.
        before: the tile that its last move makes; 0 where the game ends first.
        start: move number of its first position.
    """

    after: int = 0
    before: int = 0
    start: int = 0


class Reviewed(Reply, tag="reviewed", frozen=True):
    """The review of a game as a whole.

    Attributes:
        accuracy: in percent.
        match_rate: share of moves that were the best one.
        goodness_of_fit: product of all ratios.
        labels: how many moves have each label.
        longest_perfect_run: most best moves in a row.
        complete: whether every move was judged.
        own: the person's moves alone; None where a player made none, or nobody knows which.
        helped: the moves that a player made, where `own` is there.
        phases: the game divided by its largest tiles.
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
    own: ReviewPart | None = None
    helped: ReviewPart | None = None
    phases: list[PhaseInfo] = msgspec.field(default_factory=list)
