"""`twofold watch`: a player plays, live in the terminal."""

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from twofold.cli._common import (
    INTERRUPTED,
    LOADING,
    RulesOption,
    SeedOption,
    catching_interrupt,
    counted,
    print_out,
    read_rules,
    read_seed,
    shell_line,
    waiting,
)

if TYPE_CHECKING:
    from twofold.cli._playback import Frame
    from twofold.rules import Rules

EXAMPLE = """  twofold watch
  twofold watch greedy --seed 7 --moves-per-second 5
  twofold watch corner --rules '3x4 goal=512' --record game.2048"""

FRAMES_PER_SECOND: Final = 20
"""Most pictures a second: what is beyond is too fast to see, and takes time from the player."""

LINE_EVERY: Final = 100
"""Moves between two lines where there is no terminal."""

STOP_SECONDS: Final = 1.0
"""How long to wait after Ctrl-C for the player to finish its thought."""

MOST_MILESTONES: Final = 6

MAX_MOVES_PER_SECOND: Final = 1e6


def command(
    player: Annotated[
        str | None, typer.Argument(metavar="PLAYER", help="Who plays.", show_default=False)
    ] = None,
    seed: SeedOption = None,
    rules: RulesOption = "",
    moves_per_second: Annotated[
        str | None,
        typer.Option("--moves-per-second", metavar="X", help="Play no faster than this."),
    ] = None,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="Write the game to a file.")
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Lines of text instead of a live picture.")
    ] = False,
) -> None:
    """Watch a player play a game, live in the terminal.

    Ctrl-C ends it with a summary. Without a terminal, or with --plain: a line every 100
    moves and the final board.
    """
    from twofold.players.presets import default_player

    used_rules, used_seed = read_rules(rules), read_seed(seed)
    pace = _read_pace(moves_per_second)
    if record is not None:
        _check_writable(record)
    spec = default_player(used_rules) if player is None else player
    live = not plain and sys.stdout.isatty()
    watched = Watched(spec, used_rules, used_seed, pace, record)
    with catching_interrupt() as asked:
        frame = watched.show_live(asked) if live else watched.show_plain(asked)
        interrupted = asked.is_set() and not watched.game.is_finished
    if interrupted:
        print_out("interrupted")
    for line in watched.summary(frame):
        print_out(line)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _read_pace(text: str | None) -> float | None:
    from twofold.errors import InvalidInput, LimitExceeded
    from twofold.notation import parse_number

    if text is None:
        return None
    pace = parse_number(text, "moves per second", InvalidInput)
    if not 0 < pace <= MAX_MOVES_PER_SECOND:
        raise LimitExceeded(
            f"expected moves per second above 0 and up to {MAX_MOVES_PER_SECOND:.0f}, got {text}"
        )
    return pace


def _check_writable(path: Path) -> None:
    """Refuse a file that could not be written at the end, before anything is played."""
    from twofold.errors import InvalidInput

    if not path.resolve().parent.is_dir():
        raise InvalidInput(
            f"expected an existing folder to write to, got {str(path.resolve().parent)!r}"
        )
    if path.exists() and not path.is_file():
        raise InvalidInput(f"expected a regular file to write to, got {str(path)!r}")


class Watched:
    """One game that is being watched."""

    def __init__(
        self, spec: str, rules: "Rules", seed: int, pace: float | None, record: Path | None
    ) -> None:
        from twofold.game import Game

        self.spec = spec
        self.rules = rules
        self.seed = seed
        self.pace = pace
        self.record = record
        self.game: Game = Game(rules, seed=seed)
        with waiting(LOADING):
            from twofold.players import make_player

            self.player = make_player(spec)
        self.player.start(rules, seed)

    def _frames(self, stop: threading.Event) -> "Iterator[Frame]":
        from twofold.cli._playback import frames, paced

        return paced(frames(self.player, self.game, time.perf_counter), self.pace, stop)

    def show_live(self, stop: threading.Event) -> "Frame":
        """Draw the game until it ends or `stop` is set; the last frame."""
        from rich.console import Console
        from rich.live import Live

        from twofold.cli._playback import Playback, first_frame
        from twofold.cli._screen import Screen, choose_look
        from twofold.cli._tiles import draw_board

        console = Console()
        opening = first_frame(self.game)
        screen = Screen(
            opening, self.spec, self.seed, "getting ready; the first time, kernels are compiled ..."
        )
        playback = Playback(self._frames(stop), opening)
        with Live(screen, console=console, screen=True, auto_refresh=False) as live:
            pause = 0.0
            while not playback.wait(pause) and not stop.is_set():
                drawn = time.perf_counter()
                screen.frame = playback.frame
                if screen.frame.analysis is not None:
                    screen.note = "Ctrl-C ends the game with a summary"
                live.refresh()
                # Drawing takes a fifth of the time at most, also on a slow terminal.
                pause = max(1 / FRAMES_PER_SECOND, 4 * (time.perf_counter() - drawn))
        playback.wait(STOP_SECONDS)
        if playback.error is not None:
            raise playback.error
        frame = playback.frame
        look = choose_look(console, frame.board, console.width, console.height)
        for line in draw_board(frame.board, look):
            console.print(line)
        return frame

    def show_plain(self, stop: threading.Event) -> "Frame":
        """Print a line every 100 moves and the final board; the last frame."""
        from twofold.cli._playback import first_frame
        from twofold.cli._screen import format_speed

        frame = first_frame(self.game)
        print_out(f"{self.spec}, seed {self.seed}, rules {self.rules}")
        with waiting(LOADING):
            source = self._frames(stop)
            frame = next(source, frame)
        for frame in source:
            if frame.move_number % LINE_EVERY == 0:
                print_out(
                    f"move {frame.move_number:,}  score {frame.score:,}  "
                    f"largest {frame.board.max_tile:,}  "
                    f"{format_speed(frame.moves_per_second)} moves/s"
                )
                sys.stdout.flush()
        print_out(f"\n{frame.board.drawn()}\n")
        return frame

    def summary(self, frame: "Frame") -> list[str]:
        """The lines at the end; writes the record if one is wanted."""
        from twofold.cli._screen import format_speed, format_time

        ends = {"over": "no move left", "stopped": "the goal is reached"}
        how = ends.get(self.game.status.value, "not finished")
        lines = [
            f"score {frame.score:,}, largest tile {frame.board.max_tile:,}, "
            f"{counted(frame.move_number, 'move')}, {how}",
            f"{format_time(frame.seconds)}, {format_speed(frame.moves_per_second)} moves/s, "
            f"player {self.spec}, seed {self.seed}",
        ]
        lines += [
            f"reached {mark.tile:>6} at move {mark.move_number:>6,}, "
            f"after {format_time(mark.seconds)}"
            for mark in frame.milestones[-MOST_MILESTONES:]
        ]
        if self.record is not None:
            self._write_record(self.record)
            lines.append(f"written to {self.record}")
        lines.append(f"again: {self.command_line()}")
        return lines

    def command_line(self) -> str:
        """The command that plays this game again."""
        from twofold.rules import STANDARD

        words = ["twofold", "watch", self.spec, "--seed", str(self.seed)]
        if self.rules != STANDARD:
            words += ["--rules", str(self.rules)]
        return shell_line(*words)

    def _write_record(self, path: Path) -> None:
        from twofold.record import Record, write_record

        write_record(path, Record.from_game(self.game, player=self.player.spec))
