"""A search in a thread of its own: shown while it goes on, ended by Ctrl-C with its best answer."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple, TypeVar

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from twofold.board import Board
from twofold.cli._analysis import figures, move_table
from twofold.cli._progress import waiting
from twofold.cli._signals import catching_interrupt
from twofold.players import Player
from twofold.players.faults import as_fault
from twofold.search.analysis import Analysis
from twofold.search.budget import Budget
from twofold.search.stop import Stop
from twofold.tui.background import Reading
from twofold.tui.picture import Canvas
from twofold.tui.tiles import draw_board, flat_look

T = TypeVar("T")

Show = Callable[[Analysis | None], None]
"""Shows the newest analysis, if there is one."""

PAUSE: Final = 0.1
"""Seconds between two pictures."""

QUIET_SECONDS: Final = 0.3
"""What takes less than this is not shown while it goes on."""

STOP_SECONDS: Final = 1.0
"""How long to wait after Ctrl-C for the player to finish its thought."""

ANALYSING: Final = "analysing; Ctrl-C ends it with the best answer so far ..."


class LiveAnswer(NamedTuple):
    """The best analysis that was found, if any, and whether the user ended the search.

    `seconds` is the time of the whole search, a depth that was not finished included.
    """

    analysis: Analysis | None
    interrupted: bool
    seconds: float


def think(
    player: Player, board: Board, budget: Budget | None, score: int | None, *, live: bool
) -> LiveAnswer:
    """Analyse a board; Ctrl-C ends the search with the best answer so far.

    The player has been started; `budget` is None for its own, `score` if it is not known. `live`
    shows the answers as they improve.
    """
    stop, began = Stop(), time.perf_counter()
    with _shown_live(board, budget) if live else _said_once() as show:
        source = player.stream(board, budget, score=score, stop=stop)
        latest, interrupted = follow(source, "twofold-search", stop.raise_flag, show)
    return LiveAnswer(latest, interrupted, time.perf_counter() - began)


def follow(
    source: Iterator[T],
    name: str,
    end: Callable[[], object],
    show: Callable[[T | None], None],
    take: Callable[[T], object] | None = None,
) -> tuple[T | None, bool]:
    """Read in a thread what a player finds; the newest item, and whether Ctrl-C ended it.

    `end` is called after Ctrl-C and has the source end soon; one that does not is left behind.
    `show` is called ten times a second with the newest item, `take` with each item, in the thread.
    """
    with catching_interrupt() as asked:
        reading = Reading(source, name, take=take)
        while not reading.wait(PAUSE) and not asked.is_set():
            show(reading.latest)
        end()
        reading.wait(STOP_SECONDS)
    if reading.error is not None:
        raise as_fault(reading.error)  # Ctrl-C does not reach its thread
    return reading.latest, asked.is_set()


@contextmanager
def _said_once() -> Iterator[Show]:
    with waiting(ANALYSING):
        yield lambda latest: None


@contextmanager
def _shown_live(board: Board, budget: Budget | None) -> Iterator[Show]:
    """A picture on stderr that is drawn again and again, and leaves nothing behind."""
    console = Console(stderr=True)
    live = Live(console=console, transient=True, auto_refresh=False, vertical_overflow="crop")
    began = time.perf_counter()

    def show(latest: Analysis | None) -> None:
        seconds = time.perf_counter() - began
        if seconds < QUIET_SECONDS:
            return
        if not live.is_started:
            live.start()
        lines = picture(board, latest, console)
        lines += [Text(), Text(_status(seconds, budget), style="dim")]
        live.update(_uncut(lines), refresh=True)

    try:
        yield show
    finally:
        live.stop()


def _uncut(lines: Sequence[Text]) -> Group:
    """Lines that are never wrapped, so that the picture keeps its height."""
    for line in lines:
        line.no_wrap, line.overflow = True, "ellipsis"
    return Group(*lines)


def _status(seconds: float, budget: Budget | None) -> str:
    most = f" of {budget.seconds:g} s" if budget is not None and budget.seconds else " s"
    return f"searching, {seconds:.1f}{most}; Ctrl-C ends it with the best answer so far"


def picture(board: Board, analysis: Analysis | None, console: Console) -> list[Text]:
    """The board, the four moves and the figures; before the first answer the board alone."""
    lines = drawn(board, console)
    if analysis is not None:
        lines += [Text(), *move_table(analysis), Text(), *figures(analysis, console.width)]
    for line in lines:
        line.end = "\n"
    return lines


def drawn(board: Board, console: Console) -> list[Text]:
    """A board: in colour where the console is a terminal."""
    if not console.is_terminal:
        return [Text(line) for line in board.drawn().split("\n")]
    colours = Canvas.of(console, console.width, console.height).colours
    return draw_board(board, flat_look(board, colours))


def print_lines(lines: Sequence[Text], console: Console) -> None:
    """Print lines on stdout, in colour where it is a terminal."""
    for line in lines:
        if console.is_terminal:
            console.print(line, soft_wrap=True)
        else:
            sys.stdout.write(line.plain.rstrip() + "\n")
