"""What commands share that play many games: progress, studies, start boards, where games end."""

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    contextmanager,
    nullcontext,
    redirect_stdout,
    suppress,
)
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final

from rich.table import Table

from twofold.arena.bench import PlayerStanding, backend_at
from twofold.arena.boards import StartBoards, warning_of
from twofold.arena.games import GameColumns
from twofold.arena.workers import Backend
from twofold.cli import _output
from twofold.errors import InvalidSpec
from twofold.figures import duration_words, shortened
from twofold.game.notation import format_spec, parse_spec, printable
from twofold.players import PlayerSpec, short_spec
from twofold.players.presets import STRENGTHS
from twofold.storage.files import new_file, remove_file

if TYPE_CHECKING:
    from twofold.arena.study import Study

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

    def add(self, games: GameColumns) -> None:
        now, scores = time.monotonic(), games.scores.astype(float)
        begun = now - float(games.seconds.sum())
        self.begun = begun if math.isnan(self.begun) else self.begun
        self.last = now
        self.played += len(games)
        self.moves += int(games.moves.sum())
        self.total += float(scores.sum())
        self.squares += float((scores * scores).sum())

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
            _PlayerLine(shortened(name, 30), wanted, wanted - missing)
            for name, wanted, missing in players
        ]

    def add(self, number: int, games: GameColumns) -> None:
        """Count finished games of a player."""
        self._lines[number].add(games)

    def share(self) -> float:
        """The part of all games that is played."""
        wanted = sum(line.wanted for line in self._lines)
        return 1 - sum(line.missing for line in self._lines) / max(wanted, 1)

    def __rich__(self) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
        table.add_column("player", no_wrap=True)
        for name in ("games", "mean of the new ones", "moves/s", "left"):
            table.add_column(name, justify="right", no_wrap=True)
        active = [line for line in self._lines if line.missing or line.played]
        first = next((n for n, line in enumerate(active) if line.missing), 0)
        start = max(0, min(first - _MOST // 2, len(active) - _MOST))
        for line in active[start : start + _MOST]:
            table.add_row(*line.cells())
        return table


def far_backend(
    address: str | None, jobs: int | None, timeout: float | None = None
) -> AbstractContextManager[Backend | None]:
    """`backend_at`; says on stderr what takes long."""
    if address is None:
        return nullcontext()
    words = "starting Ray ..." if address == "local" else f"joining {address} ..."
    with _output.waiting(words):
        return backend_at(address, jobs, timeout)


@contextmanager
def playing(
    address: str | None,
    jobs: int | None,
    players: Sequence[tuple[str, int, int]],
    timeout: float | None = None,
) -> Iterator[tuple[Backend | None, Event, Callable[[int, GameColumns], None]]]:
    """Around games: where they are played, whether Ctrl-C was pressed, and their progress.

    The last is a function of the number of a player, and games. `players` are as in
    `BenchProgress`. What players print goes to stderr: it is no result.
    """
    board = BenchProgress(players)
    with (
        redirect_stdout(sys.stderr),
        far_backend(address, jobs, timeout) as far,
        _output.catching_interrupt() as asked,
        _output.live(None, BenchProgress.share, lambda board, _: board) as show,
    ):
        show(board)

        def advance(number: int, games: GameColumns) -> None:
            board.add(number, games)
            show(board)

        yield far, asked, advance


def print_failures(standings: Iterable[PlayerStanding]) -> None:
    """Say on stderr which players failed."""
    for one in standings:
        _output.print_note(f"twofold: {one.player} failed on seed {one.failed_seed}: {one.error}")


def say_beside(text: str) -> None:
    """Print what a bench says about a player: on stderr."""
    _output.print_note(f"twofold: {text}")


def say_strengths(players: Iterable[tuple[str, str]]) -> None:
    """Print what each strength among the players stands for; each with its canonical spec.

    Its keys have the values that were typed: `time=1ms`. A spec of another version, which a study
    may hold, stays as it is.
    """
    for title, spec in dict.fromkeys(players):
        if title.partition(":")[0] in STRENGTHS:
            meant = printable(spec)
            with suppress(InvalidSpec):
                typed, (name, values) = parse_spec(title).values, parse_spec(short_spec(spec))
                meant = format_spec(name, {key: typed.get(key, values[key]) for key in values})
            _output.print_words(f"{printable(title)} is {meant}")


# ---- studies and boards


def open_study(
    out: str, players: Sequence[PlayerSpec], boards: str, *, force: bool
) -> AbstractContextManager["Study | None"]:
    """The study that --out names, None without a name; with `force` instead of another file.

    Raises:
        InvalidInput: the file is no study, or an input of the games.
    """
    if not out:
        return nullcontext()
    from twofold.arena.study import Study

    def check(path: Path) -> None:
        Study(path, read_only=True).close()

    inputs = [boards, *(file for player in players for file in player.files)]
    if new_file(out, inputs=inputs, force=force, continued=check):
        remove_file(out)
    return Study(out)


def print_boards(boards: StartBoards | None, games: int) -> None:
    """Say where games began, what scores are then, and whether boards were used again.

    `games` is the largest number of games of a player.
    """
    if boards:
        _output.print_words(f"boards {boards}; scores are points from there on")
        if warning := warning_of(boards, games):
            _output.print_words(warning)
