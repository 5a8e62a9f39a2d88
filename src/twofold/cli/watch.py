"""`twofold watch`: a player plays: on the full screen, as a live picture, as lines or in words."""

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from twofold.cli._common import (
    INTERRUPTED,
    RulesOption,
    SeedOption,
    can_redraw,
    catching_interrupt,
    check_writable,
    counted,
    hint_at_tables,
    loading,
    print_out,
    print_words,
    read_pace,
    read_rules,
    read_seed,
    settled_specs,
    shell_line,
)

if TYPE_CHECKING:
    from rich.console import Console

    from twofold.play.saving import KeptGame
    from twofold.rules import Rules
    from twofold.tui.frame import GameFrame

EXAMPLE = """  twofold watch
  twofold watch greedy --seed 7 --moves-per-second 5
  twofold watch corner --rules '3x4 goal=512' --record game.2048
  twofold watch greedy --words --moves-per-second 0.5"""

FRAMES_PER_SECOND: Final = 20
"""Most pictures a second: what is beyond is too fast to see, and takes time from the player."""

LINE_EVERY: Final = 100
"""Moves between two lines where there is no terminal."""

STOP_SECONDS: Final = 1.0
"""How long to wait after Ctrl-C for the player to finish its thought."""

MOST_MILESTONES: Final = 6


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
    words: Annotated[
        bool, typer.Option("--words", help="Every move in words, a line each, for screen readers.")
    ] = False,
) -> None:
    """Watch a player play a game, live in the terminal.

    With the extra 'tui', Space pauses, arrows step, + and - change the pace, T takes the game
    over and ? shows all keys. Ctrl-C ends it with a summary. Without a terminal, or with --plain:
    a line every 100 moves and the final board.
    """
    from twofold.cli._app import can_open

    used_rules = read_rules(rules, () if player is None else [player])
    used_seed = read_seed(seed)
    pace = read_pace(moves_per_second)
    if record is not None:
        check_writable(record)
    spec = _spec_of(player, used_rules)
    live = not plain and not words and can_redraw(sys.stdout.isatty())
    watched = Watched(spec, used_rules, used_seed, pace, record)
    if live and can_open():
        frame, interrupted = watched.show_app()
    else:
        with catching_interrupt() as asked:
            told = watched.show_words if words else watched.show_plain
            frame = watched.show_live(asked) if live else told(asked)
            interrupted = asked.is_set()
    interrupted = interrupted and not watched.game.is_finished
    if interrupted:
        print_out("interrupted")
    for line in watched.summary(frame):
        print_out(line)
    if player is None and not words:
        hint_at_tables(used_rules)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _spec_of(player: str | None, rules: "Rules") -> str:
    """Who plays, with endgame tables by name, so that the game can be played again."""
    if player is not None:
        return settled_specs([player], rules)[0]
    with loading():
        from twofold.players.presets import default_player

        return default_player(rules)


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
        self.kept: KeptGame | None = None  # once a person has taken over
        with loading():
            from twofold.players import make_player

            self.player = make_player(spec)
        self.player.start(rules, seed)

    def _frames(self, stop: threading.Event) -> "Iterator[GameFrame]":
        from twofold.tui.playback import frames, paced

        return paced(frames(self.player, self.game, time.perf_counter), self.pace, stop)

    def show_app(self) -> tuple["GameFrame", bool]:
        """Show the game in the app until the user leaves; the last frame, and whether by Ctrl-C."""
        from twofold.cli._app import watch_screen
        from twofold.tui.app import run

        screen, shared = watch_screen(self.game, self.player, self.spec, self.pace)
        try:
            interrupted = run(screen)
        finally:
            shared.close()
            if screen.taken_over is not None:
                self.kept = screen.taken_over.kept
                self.kept.save()
        if shared.error is not None:
            raise shared.error
        return shared.now.frame, interrupted

    def show_live(self, stop: threading.Event) -> "GameFrame":
        """Draw the game until it ends or `stop` is set; the last frame."""
        from rich.console import Console
        from rich.live import Live

        from twofold.cli._screen import Screen
        from twofold.tui.frame import first_frame
        from twofold.tui.playback import Playback
        from twofold.tui.words import getting_ready

        console = Console()
        opening = first_frame(self.game)
        screen = Screen(opening, self.spec, self.seed, getting_ready())
        playback = Playback(self._frames(stop), opening)
        with Live(screen, console=console, screen=True, auto_refresh=False) as live:
            pause = 0.0
            while not playback.wait(pause) and not stop.is_set():
                drawn = time.perf_counter()
                screen.frame = playback.frame
                going = screen.frame.analysis is not None
                screen.note = "Ctrl-C ends the game with a summary" if going else getting_ready()
                live.refresh()
                # Drawing takes a fifth of the time at most, also on a slow terminal.
                pause = max(1 / FRAMES_PER_SECOND, 4 * (time.perf_counter() - drawn))
        playback.wait(STOP_SECONDS)
        if playback.error is not None:
            raise playback.error
        _print_board(playback.frame, console)
        return playback.frame

    def show_plain(self, stop: threading.Event) -> "GameFrame":
        """Print a line every 100 moves and the final board; the last frame."""
        from twofold.figures import format_rate

        for frame in self._told(stop):
            if frame.move_number and frame.move_number % LINE_EVERY == 0:
                print_out(
                    f"move {frame.move_number:,}  score {frame.score:,}  "
                    f"largest {frame.board.max_tile:,}  "
                    f"{format_rate(frame.moves_per_second)} moves/s"
                )
                sys.stdout.flush()
        print_out(f"\n{frame.board.drawn()}\n")
        return frame

    def show_words(self, stop: threading.Event) -> "GameFrame":
        """Tell every move in words, and the final board; the last frame."""
        from twofold.tui.words import words_of_board, words_of_move

        last = None
        for frame in self._told(stop):
            if last is None:
                print_out("\n".join(words_of_board(frame.board)))
            elif last.analysis is not None:
                said = words_of_move(last.board, last.analysis.best, frame.board)
                print_words(f"{said}; score {frame.score:,}")
            sys.stdout.flush()
            last = frame
        print_out("\n".join(words_of_board(frame.board)))
        return frame

    def _told(self, stop: threading.Event) -> "Iterator[GameFrame]":
        """The frames of the game, at least one, after a line about it."""
        from twofold.tui.frame import first_frame

        print_words(f"{self.spec}, seed {self.seed}, rules {self.rules}")
        with loading():
            source = self._frames(stop)
            opening = next(source, first_frame(self.game))
        yield opening
        yield from source

    def summary(self, frame: "GameFrame") -> list[str]:
        """The lines at the end; writes the record if one is wanted."""
        lines = self._outcome(frame) if self.kept is None else []
        if self.record is not None:
            self._write_record(self.record)
            lines.append(f"written to {self.record}")
        if self.kept is None:
            return [*lines, f"again: {self.command_line()}"]
        from twofold.cli._app import words_at_leaving

        return [*lines, *words_at_leaving(self.kept)]

    def _outcome(self, frame: "GameFrame") -> list[str]:
        """How the game went."""
        from twofold.figures import format_rate, format_time

        ends = {"over": "no move left", "stopped": "the goal is reached"}
        how = ends.get(self.game.status.value, "not finished")
        return [
            f"score {frame.score:,}, largest tile {frame.board.max_tile:,}, "
            f"{counted(frame.move_number, 'move')}, {how}",
            f"{format_time(frame.seconds)}, {format_rate(frame.moves_per_second)} moves/s, "
            f"player {self.spec}, seed {self.seed}",
            *(
                f"reached {mark.tile:>6} at move {mark.move_number:>6,}, "
                f"after {format_time(mark.seconds)}"
                for mark in frame.milestones[-MOST_MILESTONES:]
            ),
        ]

    def command_line(self) -> str:
        """The command that plays this game again."""
        from twofold.rules import STANDARD

        words = ["twofold", "watch", self.spec, "--seed", str(self.seed)]
        if self.rules != STANDARD:
            words += ["--rules", str(self.rules)]
        return shell_line(*words)

    def _write_record(self, path: Path) -> None:
        from twofold.records.record import Record, write_record

        player = self.player.spec if self.kept is None else self.kept.player
        write_record(path, Record.from_game(self.game, player=player))


def _print_board(frame: "GameFrame", console: "Console") -> None:
    """Leave the final board in the terminal."""
    from twofold.tui.picture import Canvas
    from twofold.tui.tiles import draw_board, fit

    board = frame.board
    colours = Canvas.of(console, console.width, console.height).colours
    for line in draw_board(board, fit(board, colours, console.width, 3 * board.rows)):
        console.print(line)
