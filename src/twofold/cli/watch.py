"""`twofold watch`: a player plays: on the full screen, as a live picture, as lines or in words."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from twofold.cli._options import (
    USUAL_PLAYER,
    DiceSeedOption,
    ForceOption,
    PaceOption,
    RulesOption,
    argument,
    flag,
    hint_at_rules,
    hint_at_tables,
    option,
    read_rules,
    read_seed,
)
from twofold.cli._output import catching_interrupt, loading, print_note, print_out, print_words
from twofold.cli._thinking import follow
from twofold.cli.play import leave
from twofold.cli.tui.picture import (
    ENDS,
    Canvas,
    ScreenPicture,
    can_draw,
    can_open,
    draw_moves,
    title_line,
    watch_figures,
)
from twofold.cli.tui.tiles import draw_board, fit, getting_ready, words_of_board, words_of_move
from twofold.errors import INTERRUPTED
from twofold.figures import counted, format_rate, format_time
from twofold.game.game import Game
from twofold.game.notation import shell_line
from twofold.game.record import Record, keep_record
from twofold.game.rules import STANDARD, Rules
from twofold.game.step import end_words
from twofold.games.live_game import LiveGame, now_text
from twofold.games.mover import FIRST_MOVES, FIRST_PACE, analyse, next_due, question_of
from twofold.games.shared_game import Chronicle, GameFrame, SharedGame
from twofold.players import Player, PlayerSpec
from twofold.players.registry import default_player
from twofold.storage.files import new_file


def frames(
    player: Player, game: Game, pace: float | None = None, stop: threading.Event | None = None
) -> Iterator[GameFrame]:
    """Let a started player play the game, and yield a frame for each position.

    The next move is made when the next frame is asked for.

    Args:
        player: the player.
        game: the game.
        pace: largest number of moves per second; None for no limit.
        stop: ends it.
    """
    chronicle, stop = Chronicle(game), stop or threading.Event()
    chronicle.run(True)
    due = time.monotonic()
    while True:
        analysis = None if game.is_finished else analyse(player, question_of(game))
        yield chronicle.frame(analysis)
        if pace is not None:
            due = next_due(due, pace, time.monotonic())
            stop.wait(due - time.monotonic())
        if analysis is None or stop.is_set():
            return
        game.play(analysis.best)
        chronicle.note()


EXAMPLE = """  twofold watch
  twofold watch greedy --seed 7 --moves-per-second 5
  twofold watch corner --rules '3x4 goal=512' --record game.2048
  twofold watch greedy --words --moves-per-second 0.5"""

FRAMES_PER_SECOND: Final = 20
"""Most pictures a second: what is beyond is too fast to see, and takes time from the player."""

LINE_EVERY: Final = 100
"""Moves between two lines where there is no terminal."""


MOST_MILESTONES: Final = 6


def command(
    player: Annotated[str | None, argument("PLAYER", f"Player to watch. {USUAL_PLAYER}")] = None,
    seed: DiceSeedOption = None,
    rules: RulesOption = "",
    moves_per_second: PaceOption = None,
    record: Annotated[Path | None, option("FILE", "Write the game to a file.")] = None,
    force: ForceOption = False,
    plain: Annotated[bool, flag("--plain", "Print lines of text instead of a live board.")] = False,
    words: Annotated[
        bool, flag("--words", "Describe every move in words, one per line, for screen readers.")
    ] = False,
) -> None:
    """Watch a player play a game, live in the terminal.

    The first 20 moves are slow, so that you can follow them; the rest is played at full speed.
    With the extra 'tui', Space pauses, → makes one move and ← reviews the game, + and - change the
    pace, T lets you take over and ? shows all keys. Ctrl-C ends the game with a summary. Without a
    terminal, or with --plain, the command prints a line every 100 moves and the final board.
    """
    given = None if player is None else PlayerSpec.parse(player)
    used_rules = read_rules(rules, () if given is None else [given])
    used_seed = read_seed(seed)
    if record is not None:
        new_file(
            record, inputs=given.files if given else (), force=force
        )  # before anything is played
    with loading():  # endgame tables by name, so that the game can be replayed
        spec = given.settled(used_rules) if given else default_player(used_rules)
    live = not plain and not words and can_draw()
    watched = Watched(spec, used_rules, used_seed, moves_per_second, record, force)
    with watched.recorded_at_failure():
        if live and can_open():
            frame, interrupted = watched.show_app()
        elif live:
            with catching_interrupt() as asked:
                frame = watched.show_live(asked)
                interrupted = asked.is_set()
        else:
            frame, interrupted = watched.show_text(words=words)
    interrupted = interrupted and not watched.game.is_finished
    if interrupted:
        print_out("interrupted")
    watched.sum_up(frame)
    if player is None and not words:
        hint_at_tables(used_rules)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def picture_of(frame: GameFrame, player: str, seed: int) -> ScreenPicture:
    """A frame of a game with this seed, and the player as screens name it."""
    speed = "speed", f"{format_rate(frame.mean_speed)} moves/s"
    return ScreenPicture(
        title=title_line(player),
        board=frame.board,
        figures=watch_figures(frame, seed, speed),
        panel=partial(draw_moves, frame.analysis),
        note=Text(ENDS if frame.analysis else getting_ready(), "dim"),
    )


@dataclass
class Watched:
    """One game that is being watched."""

    spec: PlayerSpec
    rules: Rules
    seed: int
    pace: float | None
    record: Path | None
    force: bool

    def __post_init__(self) -> None:
        self.live = LiveGame(Game(self.rules, seed=self.seed), begun=now_text())
        with loading(), hint_at_rules(self.spec, self.rules):
            self.player = self.spec.make()
            self.player.start(self.rules, self.seed)

    @property
    def game(self) -> Game:
        """The game."""
        return self.live.game

    def _shared(self) -> SharedGame:
        """The game that the player is to play; without a pace its first moves are slower."""
        pace, slow = (FIRST_PACE, FIRST_MOVES) if self.pace is None else (self.pace, 0)
        shared = SharedGame(self.live, lambda _rules: self.player, pace, self.spec.text, slow)
        shared.title = self.spec.title
        return shared

    def show_app(self) -> tuple[GameFrame, bool]:
        """Show the game in the app until the user leaves; the last frame, and whether by Ctrl-C."""
        from twofold.cli.tui.game_screen import WatchScreen  # an extra
        from twofold.cli.tui.screen import run

        shared = self._shared()
        try:
            interrupted = run(WatchScreen(shared))
        finally:
            shared.close()
            self.live = shared.live
            self.live.save()  # if a person has taken over
        if shared.error is not None:
            raise shared.error
        return shared.now, interrupted

    def show_live(self, stop: threading.Event) -> GameFrame:
        """Draw the game until it ends or `stop` is set; the last frame."""
        console = Console()
        shared = self._shared()
        with closing(shared), Live(console=console, screen=True, auto_refresh=False) as live:
            shared.want_hints(True)
            shared.play_on(True)
            while shared.now.auto and not stop.is_set():
                drawn = time.perf_counter()
                canvas = Canvas.of(console, *console.size)
                picture = picture_of(shared.now, self.spec.title, self.seed)
                live.update(Text("\n").join(picture.lines(canvas)), refresh=True)
                # Drawing takes a fifth of the time at most, also on a slow terminal.
                stop.wait(max(1 / FRAMES_PER_SECOND, 4 * (time.perf_counter() - drawn)))
        if shared.error is not None:
            raise shared.error
        frame = shared.now
        board, colours = frame.board, Canvas.of(console, *console.size).colours
        for line in draw_board(board, fit(board, colours, console.width, 3 * board.rows)):
            console.print(line)
        return frame

    def show_text(self, *, words: bool) -> tuple[GameFrame, bool]:
        """Print the game and its final board; the last frame, and whether Ctrl-C ended it.

        Every move is told in words, or a line printed every 100 moves.
        """
        print_words(f"{self.spec.title}, seed {self.seed}, rules {self.rules}")
        stop, before = threading.Event(), Chronicle(self.game).frame()

        def tell(frame: GameFrame) -> None:
            nonlocal before
            wait.close()
            number = frame.move_number
            if words and before.analysis is not None:
                said = words_of_move(before.board, before.analysis.best, frame.board)
                print_words(f"{said}; score {frame.score:,}")
            elif words:  # the first one
                print_out("\n".join(words_of_board(frame.board)))
            elif number and number % LINE_EVERY == 0:
                print_out(
                    f"move {number:,}  score {frame.score:,}  "
                    f"largest {frame.board.max_tile}  {format_rate(frame.mean_speed)} moves/s"
                )
            sys.stdout.flush()
            before = frame

        with ExitStack() as wait:  # for the first frame
            wait.enter_context(loading())
            source = frames(self.player, self.game, pace=self.pace, stop=stop)
            _, interrupted = follow(source, "twofold-watch", stop.set, lambda _: None, tell)
        game = self.game  # one move after the last frame where the player was left behind
        frame = replace(before, board=game.board, score=game.score, move_number=game.move_number)
        print_out("\n".join(words_of_board(frame.board)) if words else f"\n{frame.board.drawn()}\n")
        return frame, interrupted

    @contextmanager
    def recorded_at_failure(self) -> Iterator[None]:
        """Write the record, if one is wanted, where the player fails."""
        try:
            yield
        except BaseException:
            if self.record is not None and self.game.move_number:
                written = self._write_record(self.record)
                moves = counted(self.game.move_number, "move")
                print_note(f"twofold: {written}: the {moves} before the failure")
            raise

    def sum_up(self, frame: GameFrame) -> None:
        """Write the record if one is wanted, and print the summary."""
        written = [] if self.record is None else [self._write_record(self.record)]
        if self.live.store is not None:  # a person has taken over
            print_out(*written)
            leave(self.live)
            return
        how = end_words(frame.board, self.rules) if self.game.is_finished else "not finished"
        again = ["twofold", "watch", self.spec.text, "--seed", str(self.seed)]
        again += [] if self.rules == STANDARD else ["--rules", str(self.rules)]
        lines = [
            f"score {frame.score:,}, largest tile {frame.board.max_tile}, "
            f"{counted(frame.move_number, 'move')}, {how}",
            f"{format_time(frame.seconds)}, {format_rate(frame.mean_speed)} moves/s, "
            f"player {self.spec.title}, seed {self.seed}",
            *(
                f"reached {mark.tile:>6} at move {mark.move_number:>6,}, "
                f"after {format_time(mark.seconds)}"
                for mark in frame.milestones[-MOST_MILESTONES:]
            ),
            *written,
            f"again: {shell_line(*again)}",
        ]
        print_out("\n".join(lines))

    def _write_record(self, path: Path) -> str:
        player = self.player.spec if self.live.store is None else self.live.player
        return keep_record(path, Record.from_game(self.game, player=player), force=self.force)
