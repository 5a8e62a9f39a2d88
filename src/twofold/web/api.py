"""The HTTP API of page and scripts: players, boards, analyses, games."""

import itertools
import time
from typing import Annotated, Final

import msgspec

from twofold.errors import InvalidRecord, LimitExceeded
from twofold.game.formats import parse_any_record, parse_position
from twofold.game.game import Game
from twofold.game.notation import parse_seed
from twofold.game.record import Record
from twofold.game.rules import Move, Rules
from twofold.games.kept import GameInfo
from twofold.games.makers import autoplay_of
from twofold.games.mover import Mover
from twofold.limits import MAX_BOARD, MAX_RECORD_MOVES
from twofold.players.base import Player
from twofold.search.analysis import AnalysisDocument, Timing
from twofold.search.budget import ALARMS, Budget, Stop
from twofold.web.chances import chance_operations
from twofold.web.hub import Hub
from twofold.web.operations import TEXT, File, Operation, check_id, operation, operations_of
from twofold.web.own_games import own_operations, picture_operations
from twofold.web.page_game import tiles_of
from twofold.web.practice import practice_operations
from twofold.web.protocol import AnalyseBody, PlayerInfo
from twofold.web.protocol import Text as Short
from twofold.web.searches import order_of

SCHEMA: Final = 2
"""Version of the replies; it is raised when a field changes its name or meaning."""

MAX_RECORD: Final = 4 * 2**20
"""Maximum size of an uploaded record, in bytes."""

MAX_WHOLE_MOVES: Final = 100_000
"""Most moves of a game whose positions are all sent; a game of 4x4 with 65536 has half as many."""

MAX_PLAY_SECONDS: Final = 60.0
"""Time limit for a game that is played on request; the reply has the moves made by then."""

PLAY_STEP: Final = 0.1
"""Length of a batch of moves in seconds; a batch that the time limit interrupts is discarded."""


class AnalyseReply(AnalysisDocument, kw_only=True, frozen=True):
    """An analysis with the fields of `twofold analyse --json`.

    `player` is as short as it can be named, `spec` has all defaults and file hashes.
    """

    schema: int = SCHEMA
    spec: str
    timing: Timing


class PlayBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A game to play.

    Attributes:
        player, rules: empty for the default player and standard rules.
        seed: null for a random one.
        moves: maximum number of moves; null for a whole game.
        seconds: time limit; null for the longest that the server allows.
    """

    player: Short = ""
    rules: Short = ""
    seed: int | Short | None = None
    moves: Annotated[int, msgspec.Meta(ge=0, le=MAX_RECORD_MOVES)] | None = None
    seconds: Annotated[float, msgspec.Meta(gt=0, le=MAX_PLAY_SECONDS)] | None = None


class PlayReply(msgspec.Struct, frozen=True):
    """A game that a player played.

    Attributes:
        status: `over`; `stopped` at the goal; `going` or `won` if a limit ended it first.
        board: the last position.
        seconds: time taken.
    """

    player: str
    rules: str
    seed: str
    score: int
    moves: int
    max_tile: int
    status: str
    board: str
    record: str
    seconds: float


class Added(msgspec.Struct, frozen=True):
    """The id of the saved game, and whether it is new; false if it was saved before."""

    game: str
    is_new: bool


class WholeGame(msgspec.Struct, frozen=True):
    """A saved game with all its positions.

    Attributes:
        seed: as text; empty if no seed gives these tiles.
        first: move number before the first move.
        boards: the positions, one more than moves.
        scores: the score at each position, in points.
        comments: by move number.
        autoplay: first and last move of each range that a player made, the first move of a game
            being 1; null if unknown.
    """

    game: str
    rules: str
    seed: str
    player: str
    date: str
    first: int
    moves: str
    boards: list[str]
    scores: list[int]
    comments: dict[int, str]
    autoplay: list[tuple[int, int]] | None


class GameId(msgspec.Struct, frozen=True):
    """The id of a game."""

    game: str


class BoardBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A board in any form."""

    text: Annotated[str, msgspec.Meta(max_length=MAX_BOARD)]


class BoardInfo(msgspec.Struct, frozen=True):
    """A parsed board; `score` is null if the text has none.

    Attributes:
        moves: of the game whose last board it is; 0 for a board alone.
    """

    board: str
    tiles: list[int]
    rows: int
    cols: int
    legal: str
    max_tile: int
    score: int | None = None
    moves: int = 0


def operations(hub: Hub) -> list[Operation]:
    """The operations of the API."""
    return [
        *own_operations(hub.table),
        *operations_of(_Api(hub)),
        *practice_operations(hub.notebook, hub.table.store),
        *picture_operations(hub.table),
        *chance_operations(hub.searches),
    ]


class _Api:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    @operation("GET /api/players")
    def players(self) -> list[PlayerInfo]:
        """List the players to choose from; the first is the default."""
        return self._hub.roster.infos

    @operation("POST /api/board", examples=[{"text": "0012/0013/0024/1357"}])
    def board(self, body: BoardBody) -> BoardInfo:
        """Parse a board in any form, or the last one of a game."""
        board, score = parse_position(body.text)
        return BoardInfo(
            board=str(board),
            tiles=tiles_of(board),
            rows=board.rows,
            cols=board.cols,
            legal="".join(move.letter for move in board.legal_moves()),
            max_tile=board.max_tile,
            score=score,
            moves=_count_moves(body.text),
        )

    @operation("POST /api/analyse", examples=[{"board": "0012/0013/0024/1357", "seconds": 0.5}])
    def analyse(self, body: AnalyseBody, stop: Stop) -> AnalyseReply:
        """Value the four moves on a board."""
        Budget(ply=body.ply, seconds=body.seconds, nodes=body.nodes)  # refuses what is no limit
        order = order_of(self._hub.roster, body)
        found = self._hub.searches.analyse(order, stop)
        values = msgspec.structs.asdict(AnalysisDocument.of(found)) | {"player": order.spec.short}
        return AnalyseReply(**values, spec=found.player, timing=Timing.of(found))

    @operation("POST /api/play", at_once=1, examples=[{"player": "greedy", "seed": "1"}])
    def play(self, body: PlayBody, stop: Stop) -> PlayReply:
        """Let a player play a game. It is not saved."""
        rules = Rules.parse(body.rules)
        seed = None if body.seed is None else parse_seed(str(body.seed))
        roster = self._hub.roster
        with roster.make(roster.spec(body.player, rules)) as player:
            return _play(player, Game(rules, seed), body, stop)

    @operation("GET /api/games")
    def games(self) -> list[GameInfo]:
        """List the saved games, last played first."""
        return self._hub.table.infos()

    @operation("POST /api/games", status=201, max_bytes=MAX_RECORD)
    def add(self, body: bytes) -> Added:
        """Save a game from a record."""
        taken = self._hub.table.take_opened(parse_any_record(body))
        return Added(taken.game, taken.is_new)

    @operation("GET /api/games/{game}")
    def game(self, game: str) -> WholeGame:
        """A saved game, position by position."""
        return _whole_game(game, self._hub.table.record(check_id(game)))

    @operation("DELETE /api/games/{game}")
    def delete(self, game: str) -> GameId:
        """Delete a saved game."""
        self._hub.table.delete(check_id(game))
        return GameId(game)

    @operation("GET /api/games/{game}/record", reply=TEXT)
    def record(self, game: str) -> File:
        """The record of a saved game."""
        return File(str(self._hub.table.record(check_id(game))), f"twofold-{game}.2048")


def _count_moves(text: str) -> int:
    try:
        return len(parse_any_record(text).moves)
    except InvalidRecord:
        return 0


def _play(player: Player, game: Game, asked: PlayBody, stop: Stop) -> PlayReply:
    began = time.perf_counter()
    player.start(game.rules, game.seed)
    with ALARMS.at(began + (asked.seconds or MAX_PLAY_SECONDS), stop.raise_flag):
        letters = _moves(
            player, game, MAX_RECORD_MOVES if asked.moves is None else asked.moves, stop
        )
    for letter in letters:
        game.play(Move.parse(letter))
    return PlayReply(
        player=player.spec,
        rules=str(game.rules),
        seed=str(game.seed),
        score=game.score,
        moves=game.move_number,
        max_tile=game.board.max_tile,
        status=game.status.value,
        board=str(game.board),
        record=str(Record.from_game(game, player=player.spec)),
        seconds=time.perf_counter() - began,
    )


def _moves(player: Player, game: Game, most: int, stop: Stop) -> str:
    mover = Mover(player, game.fork(game.move_number), stop)
    letters: list[str] = []
    left = most
    while left:
        played, _ = mover.play(left, time.monotonic() + PLAY_STEP)
        if stop.is_raised or not played:  # moves found after the flag are not valid
            break
        letters.append(played)
        left -= len(played)
    return "".join(letters)


def _whole_game(game: str, record: Record) -> WholeGame:
    if len(record.moves) > MAX_WHOLE_MOVES:
        raise LimitExceeded(
            f"expected a game of at most {MAX_WHOLE_MOVES:,} moves, got {len(record.moves):,}; "
            "its record can be downloaded"
        )
    played = record.resume()  # it was checked when it was saved
    steps = played.steps
    autoplay = autoplay_of(record.player, record.tags)
    return WholeGame(
        game=game,
        rules=str(record.rules),
        seed="" if record.seed is None else str(record.seed),
        player=record.player,
        date=record.date,
        first=record.start_move,
        moves="".join(step.move.letter for step in steps),
        boards=[str(played.start_board), *(str(step.board) for step in steps)],
        scores=list(
            itertools.accumulate((step.reward for step in steps), initial=record.start_score)
        ),
        comments=dict(record.comments),
        autoplay=None if autoplay is None else list(autoplay.ranges),
    )
