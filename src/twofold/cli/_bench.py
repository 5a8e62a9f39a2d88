"""What commands share that play many games: start boards, progress, where games end."""

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.live import Live
from rich.table import Table

from twofold.arena.bench import PlayerStanding, backend_at
from twofold.arena.boards import StartBoards, read_boards, warning_of
from twofold.arena.games import GameColumns, GameRow
from twofold.arena.stats import Interval
from twofold.arena.studies.study import Study
from twofold.arena.survival import Fates, bands, edges_of, format_survival
from twofold.arena.workers import Backend
from twofold.cli._output import can_redraw, print_note, print_out, print_words
from twofold.cli._players import named_files
from twofold.cli._progress import duration_words, progress_lines, waiting
from twofold.files import new_file
from twofold.rules import Rules

_MOST: Final = 12
"""Most players that are shown at a time: those at work, and those that come next."""


@dataclass(slots=True)
class _PlayerLine:
    name: str
    wanted: int
    done: int
    played: int = 0
    moves: int = 0
    total: float = 0.0
    squares: float = 0.0
    begun: float = field(default=math.nan)
    last: float = field(default=math.nan)

    def add(self, row: GameRow) -> None:
        now = time.monotonic()
        self.begun = now - row.seconds if math.isnan(self.begun) else self.begun
        self.last = now
        self.played += 1
        self.moves += row.moves
        self.total += row.score
        self.squares += row.score * row.score

    @property
    def missing(self) -> int:
        return self.wanted - self.done - self.played

    def cells(self) -> tuple[str, ...]:
        games = f"{self.done + self.played:,}/{self.wanted:,}"
        if not self.played:
            return self.name, games, "", "", ""
        seconds = max(self.last - self.begun, 1e-9)
        mean = self.total / self.played
        spread = max(self.squares / self.played - mean * mean, 0.0)
        half = 1.96 * math.sqrt(spread / self.played)
        left = self.missing * seconds / self.played
        return (
            self.name,
            games,
            f"{mean:,.0f} ± {half:,.0f}",
            f"{self.moves / seconds:,.0f}",
            "" if not self.missing else duration_words(left),
        )


class BenchProgress:
    """A table that Rich can show again and again.

    Args:
        players: for each its name, the games wanted, and those of them still to be played.
    """

    def __init__(self, players: Sequence[tuple[str, int, int]]) -> None:
        self._lines = [
            _PlayerLine(name, wanted, wanted - missing) for name, wanted, missing in players
        ]

    def add(self, number: int, row: GameRow) -> None:
        """Count a finished game of a player."""
        self._lines[number].add(row)

    def __rich__(self) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
        table.add_column("player", max_width=30, no_wrap=True, overflow="ellipsis")
        for name in ("games", "mean of the new ones", "moves/s", "left"):
            table.add_column(name, justify="right", no_wrap=True)
        active = [line for line in self._lines if line.missing or line.played]
        first = next((n for n, line in enumerate(active) if line.missing), 0)
        start = max(0, min(first - _MOST // 2, len(active) - _MOST))
        for line in active[start : start + _MOST]:
            table.add_row(*line.cells())
        return table


@contextmanager
def live_games(
    players: Sequence[tuple[str, int, int]],
) -> Iterator[Callable[[int, int, GameRow], None]]:
    """Progress on stderr, if that is a terminal: a line for each player that has to play.

    A program that started the command may ask for `progress_lines` instead.

    Args:
        players: for each its name, the games wanted, and those of them still to be played.

    Yields:
        A function of the line at which a bench begins, the number of its player, and a game.
    """
    if (say := progress_lines()) is not None:
        wanted = sum(games for _, games, _ in players)
        done = wanted - sum(missing for _, _, missing in players)
        finished = itertools.count(done + 1)
        say(done / max(wanted, 1))
        yield lambda _first, _number, _row: say(next(finished) / max(wanted, 1))
        return
    console = Console(stderr=True)
    board = BenchProgress(players)
    if not can_redraw(console.is_terminal):
        yield lambda _first, _number, _row: None
        return
    with Live(board, console=console, transient=True, refresh_per_second=4):
        yield lambda first, number, row: board.add(first + number, row)


@contextmanager
def far_backend(
    address: str | None, jobs: int | None, timeout: float | None = None
) -> Iterator[Backend | None]:
    """`backend_at`; says on stderr what takes long."""
    words = {None: "", "local": "starting Ray ..."}.get(address, f"joining {address} ...")
    with ExitStack() as stack:
        with waiting(words):
            far = stack.enter_context(backend_at(address, jobs, timeout))
        yield far


def say_beside(text: str) -> None:
    """Print what a bench says about a player: on stderr."""
    print_note(f"twofold: {text}")


# ---- studies and boards


def open_study(out: str, players: Sequence[str], boards: str, *, force: bool) -> Study:
    """The study that --out names, in memory without a name; with `force` instead of another file.

    Raises:
        InvalidInput: the file is no study, or an input of the games.
    """

    def check(path: Path) -> None:
        Study(path, read_only=True).close()

    if out and new_file(out, inputs=[boards, *named_files(*players)], force=force, continued=check):
        Path(out).unlink()
    return Study(out or None)


def read_starts(path: str, rules: Rules) -> StartBoards | None:
    """The boards that an option names, None where it names none; raises as `read_boards`."""
    return read_boards(path, rules) if path else None


def print_boards(boards: StartBoards | None, games: int) -> None:
    """Say where games began, what scores are then, and whether boards were used again.

    `games` is the largest number of games of a player.
    """
    if boards:
        print_words(f"boards {boards}; scores are points from there on")
        if warning := warning_of(boards, games):
            print_words(warning)


def print_survival(
    runs: Sequence[PlayerStanding], rules: Rules, boards: StartBoards | None
) -> None:
    """Tables of where games ended, below those of scores."""
    if text := format_survival(runs, rules, boards):
        print_words(
            "\nwhere games ended: of those that came to a band, the share that ended in it\n"
        )
        print_out(text)


def boards_document(boards: StartBoards | None) -> dict[str, Any] | None:
    """Boards as the JSON documents name them."""
    if boards is None:
        return None
    return {"name": boards.name, "boards": len(boards), "hash": boards.hash}


def survival_document(
    games: GameColumns, rules: Rules, boards: StartBoards | None
) -> list[dict[str, Any]]:
    """Where the games of a player ended, in bands of equal width."""
    fates = Fates.of_games(games, rules, boards)
    return [
        {
            "tile_sum": [band.low, band.high],
            "games": band.at_risk,
            "ended": band.ended,
            **with_interval("share", band.share),
            **with_interval("going", band.going),
        }
        for band in bands(fates, edges_of([fates]))
    ]


def with_interval(name: str, found: Interval) -> dict[str, Any]:
    """A value by its name, and its interval of 95 %."""
    return {name: found.value, f"{name}_95": [found.low, found.high]}
