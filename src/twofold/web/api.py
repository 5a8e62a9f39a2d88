"""The HTTP API of page and scripts: players, boards and their pictures, analyses, chances."""

import time
from dataclasses import replace
from importlib.util import find_spec
from typing import Annotated, Final

import msgspec

from twofold import limits
from twofold.arena.stats import Interval, wilson_interval
from twofold.errors import InvalidRecord, install
from twofold.figures import counted
from twofold.game.board import Board
from twofold.game.drawing import DOT, draw_board
from twofold.game.formats import parse_any_record, parse_position
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules
from twofold.games.pictures import RATES, Shade, draw_png, is_installed
from twofold.players import PlayerSpec
from twofold.players.base import check_going
from twofold.search.analysis import AnalysisDocument, Timing
from twofold.search.budget import Stop
from twofold.web.hub import Hub
from twofold.web.operations import File, operation
from twofold.web.page_game import tiles_of
from twofold.web.protocol import AnalyseBody, PlayerInfo
from twofold.web.protocol import Text as Short
from twofold.web.searches import AT_ONCE, order_of, rules_for

SCHEMA: Final = 2
"""Version of the replies; it is raised when a field changes its name or meaning."""

CHANCE_GAMES: Final = 1_000
"""Games to count a chance; the interval of a share is then at most 3 % wide on each side."""

CHANCE_STEP: Final = 100
"""Most games of one reply."""

CHANCE_BATCH: Final = 20
"""Games between two looks at the clock."""

CHANCE_PLAYER: Final = "fast"
"""The player of these games; on boards without a network its heuristic."""

LEAST_TILE: Final = 64
"""The smallest tile worth a question, if the goal is larger."""

GOAL_SHARE: Final = 4
"""The goal is asked for once the tiles add up to this part of it."""

CHANCE_SECONDS: Final = 0.4
"""Time of one reply, and one more batch of games."""

PNG_SCALE: Final = 2.0
"""Pixels per unit: a 4x4 board is 920 pixels wide."""

MoveNumber = Annotated[int, msgspec.Meta(ge=0, le=limits.MAX_MOVE_NUMBER)]


class AnalyseReply(AnalysisDocument, kw_only=True, frozen=True):
    """An analysis with the fields of `twofold analyse --json`.

    `player` is as short as it can be named, `spec` has all defaults and file hashes.
    """

    schema: int = SCHEMA
    spec: str
    timing: Timing


class ChanceBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A position, and the games counted so far.

    Attributes:
        rules: empty for standard rules on a board of that shape.
        games, reached: those of the reply before; 0 at first.
    """

    board: Short
    rules: Short = ""
    games: Annotated[int, msgspec.Meta(ge=0, le=CHANCE_GAMES)] = 0
    reached: Annotated[int, msgspec.Meta(ge=0, le=CHANCE_GAMES)] = 0


class ChanceReply(msgspec.Struct, frozen=True):
    """The chance of a tile: `reached` of `games`, with the 95 % interval of the share.

    Attributes:
        player: spec of the player of the games.
        done: true if these are enough games.
    """

    tile: int
    games: int
    reached: int
    low: float | None
    high: float | None
    player: str
    done: bool


class BoardBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A board in any form."""

    text: Annotated[str, msgspec.Meta(max_length=limits.MAX_BOARD)]


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


class BoardQuery(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A board to draw.

    Attributes:
        board: exponents or tiles.
        score: points, in a line below.
        move: move number, in a line below.
        shade: light or dark.
    """

    board: Short
    score: Annotated[int, msgspec.Meta(ge=0, le=limits.MAX_SCORE)] | None = None
    move: MoveNumber | None = None
    shade: Shade = "light"

    @property
    def caption(self) -> str:
        """The line below the board."""
        score = [] if self.score is None else [counted(self.score, "point")]
        move = [] if self.move is None else [f"move {self.move:,}"]
        return DOT.join(score + move)


class PicturesInfo(msgspec.Struct, frozen=True):
    """Formats and limits: maximum numbers of moves, and moves per second to choose from.

    Attributes:
        pixels: true if PNG, GIF and WebP can be drawn; SVG always can.
        install: the command that installs missing packages; empty if none is missing.
        figures: the command that installs what draws the Lab's figures; empty if it is there.
    """

    pixels: bool
    install: str
    moves: int
    replay_moves: int
    rates: list[int]
    figures: str


def next_large_tile(board: Board, rules: Rules) -> int:
    """The goal if it is near, else the tile after the largest one.

    >>> boards = "0000/0000/0000/0011", "0000/0000/0000/0378", "0000/0000/0000/129b"
    >>> [next_large_tile(Board.parse(text), Rules()) for text in boards]
    [64, 512, 4096]
    """
    total = sum(1 << tile for tile in board.exponents if tile)
    if board.max_tile >= rules.goal:
        return 2 * board.max_tile
    if GOAL_SHARE * total >= rules.goal:
        return rules.goal
    return min(max(2 * board.max_tile, LEAST_TILE), rules.goal)


class Api:
    """The operations that keep nothing."""

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
        try:
            moves = len(parse_any_record(body.text).moves)
        except InvalidRecord:
            moves = 0
        return BoardInfo(
            board=str(board),
            tiles=tiles_of(board),
            rows=board.rows,
            cols=board.cols,
            legal="".join(move.letter for move in board.legal_moves()),
            max_tile=board.max_tile,
            score=score,
            moves=moves,
        )

    @operation(
        "POST /api/analyse",
        at_once=AT_ONCE,
        examples=[{"board": "0012/0013/0024/1357", "seconds": 0.5}],
    )
    def analyse(self, body: AnalyseBody, stop: Stop) -> AnalyseReply:
        """Value the four moves on a board."""
        order = order_of(self._hub.roster, body)
        *_, (found, _, _) = self._hub.searches.stream(order, stop)
        values = msgspec.structs.asdict(AnalysisDocument.of(found)) | {"player": order.spec.short}
        return AnalyseReply(**values, spec=found.player, timing=Timing.of(found))

    @operation("POST /api/chance", at_once=1, examples=[{"board": "0012/0024/0147/259a"}])
    def chance(self, body: ChanceBody, stop: Stop) -> ChanceReply:
        """The chance of the next large tile, from more games of a fast player."""
        from twofold.players.loop import play_games  # loads kernels

        board = Board.parse(body.board)
        check_going(board)
        rules = rules_for(board, body.rules)
        tile, spec = next_large_tile(board, rules), PlayerSpec.parse(CHANCE_PLAYER).settled(rules)
        until = replace(rules, goal=tile, stop_at_goal=True)
        games, reached = body.games, min(body.reached, body.games)
        most = min(games + CHANCE_STEP, CHANCE_GAMES)
        with self._hub.searches.player(spec, rules) as player:
            ends = time.monotonic() + CHANCE_SECONDS
            while games < most and time.monotonic() < ends:
                seeds = SeedRange(games, min(CHANCE_BATCH, most - games))
                boards = [board] * seeds.count
                found = list(
                    play_games(player, until, seeds, boards=boards, stop=lambda: stop.is_raised)
                )
                if len(found) < seeds.count:
                    break
                games += seeds.count
                reached += sum(one.max_tile >= tile for one in found)
        share = wilson_interval(reached, games) if games else Interval(0.0, None, None)
        done = games >= CHANCE_GAMES or stop.is_raised
        return ChanceReply(tile, games, reached, share.low, share.high, spec.text, done)

    # ---- pictures

    @operation("GET /api/pictures")
    def pictures(self) -> PicturesInfo:
        """Formats and limits of pictures."""
        there, moves = is_installed(), (limits.MAX_ANIMATION_MOVES, limits.MAX_REPLAY_MOVES)
        hint = "" if there else install("share")
        figures = "" if find_spec("matplotlib") else install("report")
        return PicturesInfo(there, hint, *moves, list(RATES), figures)

    @operation("GET /api/pictures/board.svg", reply="image/svg+xml")
    def svg(self, query: BoardQuery) -> File:
        """A board as an SVG picture."""
        board = Board.parse(query.board)
        size, cells = (board.rows, board.cols), board.exponents
        svg = draw_board(*size, cells, caption=query.caption, theme=query.shade, scale=1)
        return File(svg, "2048-board.svg", "image/svg+xml")

    @operation("GET /api/pictures/board.png", reply="image/png")
    def png(self, query: BoardQuery) -> File:
        """A board as a PNG picture."""
        board = Board.parse(query.board)
        size, cells = (board.rows, board.cols), board.exponents
        png = draw_png(*size, cells, caption=query.caption, shade=query.shade, scale=PNG_SCALE)
        return File(png, "2048-board.png", "image/png")
