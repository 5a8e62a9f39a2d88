"""Two routes that the open 2048-clone page of macroxue calls on its own server.

`GET /move?board=EDC1BA9187611111` answers with the letter of the best move, `g` if the game is
over; the board has 16 digits, row by row, and `G` is the tile 65536. `POST
/analyze?board=...&move=l` judges a move of the person; the original server prints its judgement,
this one sends it as a sentence.

They need no token, but serve only the origin of `--legacy-api`; see `security`.

Source: github.com/macroxue/2048-ai, README, "Server mode".
"""

import re
from collections.abc import Callable
from typing import Final

from anyio import CapacityLimiter
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from twofold.board import Board
from twofold.errors import InvalidBoard, TwofoldError
from twofold.notation import printable, shown
from twofold.rules import STANDARD, Move
from twofold.search.analysis import Analysis
from twofold.search.stop import Stop
from twofold.web.hub import Hub
from twofold.web.operations import in_thread
from twofold.web.searches import AnalysisOrder, clamped
from twofold.web.security import LEGACY_ROUTES

GAME_OVER: Final = "g"
"""Answer if no move is legal."""

MAX_THREADS: Final = 2
"""Maximum number of requests at the same time."""

MAX_SECONDS: Final = 2.0
"""Time limit of a search."""

_BOARD: Final = re.compile("[0-9a-zA-Z]{16}", re.ASCII)


def legacy_routes(hub: Hub) -> list[Route]:
    """The two routes."""
    limiter = CapacityLimiter(MAX_THREADS)

    def endpoint(answer: Callable[[Request, Stop], str]) -> Callable[[Request], object]:
        async def serve(request: Request) -> Response:
            if request.method == "OPTIONS":
                return _preflight(request)
            try:
                text = await in_thread(request, lambda stop: answer(request, stop), limiter)
            except TwofoldError as error:
                return _text(printable(str(error)), 400)
            except ClientDisconnect:
                return _text("", 400)
            return _text(text)

        return serve

    work = {"/move": _move(hub), "/analyze": _judge(hub)}
    return [
        Route(path, endpoint(work[path]), methods=[method, "OPTIONS"])
        for path, method in LEGACY_ROUTES.items()
    ]


def _text(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="text/plain")


def _preflight(request: Request) -> Response:
    """Browsers send it before a public page may call a server on the user's machine."""
    headers = {"Access-Control-Allow-Methods": LEGACY_ROUTES[request.url.path]}
    if request.headers.get("access-control-request-private-network") == "true":
        headers["Access-Control-Allow-Private-Network"] = "true"
    return Response(status_code=204, headers=headers)


def _move(hub: Hub) -> Callable[[Request, Stop], str]:
    def answer(request: Request, stop: Stop) -> str:
        board = read_board(request.query_params.get("board", ""))
        return GAME_OVER if board.is_over else _analyse(hub, board, stop).best.letter

    return answer


def _judge(hub: Hub) -> Callable[[Request, Stop], str]:
    def answer(request: Request, stop: Stop) -> str:
        board = read_board(request.query_params.get("board", ""))
        move = Move.parse(request.query_params.get("move", ""))
        board.slide(move)  # raises if it is illegal
        return judgement(_analyse(hub, board, stop), move)

    return answer


def read_board(text: str) -> Board:
    """Parse the board of a request; raises InvalidBoard unless it has 16 digits."""
    if not _BOARD.fullmatch(text):
        raise InvalidBoard(f"expected a board of 16 digits, got {shown(text)}")
    return Board.parse(text)


def _analyse(hub: Hub, board: Board, stop: Stop) -> Analysis:
    spec, budget = hub.roster.spec("", STANDARD), clamped(MAX_SECONDS)
    return hub.searches.analyse(AnalysisOrder(spec, board, STANDARD, None, budget), stop)


def judgement(analysis: Analysis, move: Move) -> str:
    """The judgement of a move, as a sentence."""
    best, made = analysis.best.name.lower(), move.name.lower()
    if move == analysis.best:
        return f"{made} is the best move"
    value, most = analysis[move].value, analysis.value
    if value is None or not most:
        return f"{best} is better than {made}"
    return f"{best} is better: {made} is worth {value / most:.3f} of it"
