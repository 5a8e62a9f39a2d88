"""`twofold play`: you play, in plain text."""

import os
import sys
import time
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from twofold.cli._common import (
    INTERRUPTED,
    RulesOption,
    SeedOption,
    counted,
    open_player,
    print_out,
    read_rules,
    read_seed,
    shell_line,
)
from twofold.errors import TwofoldError

if TYPE_CHECKING:
    from twofold.game import Game, Step
    from twofold.players import Player
    from twofold.record import Record
    from twofold.rules import Move

EXAMPLE = """  twofold play
  twofold play --rules '3x3 goal=256' --hints greedy
  echo 'l d l d quit' | twofold play --seed 1"""

SAVE_SECONDS: Final = 1.0
"""The game is saved after a move, but not more often than this."""

HELP: Final = """\
u, r, d, l         move up, right, down, left; several on a line are made in turn
undo, redo         take a move back, make it again with the same tile
hint               what the player of --hints would do
board              show the board again
save FILE          write the game to a file
new                save this game and begin another one
help, quit"""


def command(
    hints: Annotated[
        str | None, typer.Option("--hints", metavar="PLAYER", help="Who answers `hint`.")
    ] = None,
    rules: RulesOption = "",
    seed: SeedOption = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE", help="Go on with a saved game.")
    ] = None,
) -> None:
    """Play in the terminal, in plain text.

    Type u, r, d or l and Enter; help lists all commands. The game is saved as you play.
    At the end of input, on quit and on Ctrl-C the command says where, and how to go on.
    """
    from twofold.game import Game

    if resume is not None:
        from twofold.record import read_record

        record = read_record(resume)
        table = Table(record.replay(), resume, hints, record)
    else:
        table = Table(Game(read_rules(rules), seed=read_seed(seed)), new_save_path(), hints)
    if hints is not None:
        table.hinter()
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    try:
        table.play()
    except KeyboardInterrupt:
        print_out()
        table.leave()
        raise typer.Exit(INTERRUPTED) from None
    table.leave()


def state_folder() -> Path:
    """Where games in progress are kept."""
    import platformdirs

    chosen = os.environ.get("TWOFOLD_STATE_DIR")
    return Path(chosen or platformdirs.user_state_dir("twofold", appauthor=False)) / "games"


def new_save_path() -> Path:
    """A file that is not there yet, named by the time."""
    name = time.strftime("%Y-%m-%d-%H%M%S")
    path = state_folder() / f"{name}.2048"
    number = 1
    while path.exists():
        number += 1
        path = state_folder() / f"{name}-{number}.2048"
    return path


class Table:
    """A game being played by a person.

    Args:
        game: the game.
        path: where it is saved.
        hints: spec of the player that gives hints; None means the default player.
        resumed: the record that the game goes on from; what it says of the game is kept.
    """

    def __init__(
        self, game: "Game", path: Path, hints: str | None, resumed: "Record | None" = None
    ) -> None:
        self.game = game
        self.path = path
        self.resumed = resumed
        self._hints = hints
        self._hinter: Player | None = None
        self._saved_moves: tuple[int, int] | None = None
        self._saved_at = time.monotonic()
        self._won_before = game.goal_reached
        self._commands: dict[str, Callable[[], None]] = {
            "undo": self.undo,
            "redo": self.redo,
            "hint": self.hint,
            "board": self.show,
            "new": self.new,
            "help": lambda: print_out(HELP),
        }

    def play(self) -> None:
        """Read commands until quit or the end of the input."""
        print_out(f"rules {self.game.rules}, seed {self.game.seed}")
        print_out("type u, r, d or l and Enter; help lists all commands\n")
        self.show()
        while True:
            line = self._read()
            if line is None or not self.obey(line):
                return
            self._save_now_and_then()

    def _read(self) -> str | None:
        try:
            return input(f"\nmove {self.game.move_number}, score {self.game.score:,} > ")
        except EOFError:
            print_out()
            return None

    def obey(self, line: str) -> bool:
        """Do what a line says; False to end."""
        words = line.split()
        if words[:1] == ["save"]:
            self._try(lambda: self.save_as(line.strip()[4:].strip()))
            return True
        for word in words:
            if word.lower() in ("quit", "q", "exit"):
                return False
            if not self._try(lambda word=word: self._do(word.lower())):  # type: ignore[misc]
                break
        return True

    def _try(self, action: Callable[[], None]) -> bool:
        """Whether it went well; if not, say why."""
        try:
            action()
        except TwofoldError as error:
            print_out(str(error))
            return False
        return True

    def _do(self, word: str) -> None:
        from twofold.errors import InvalidMove
        from twofold.rules import Move

        if word in self._commands:
            self._commands[word]()
            return
        try:
            move = Move.parse(word)
        except InvalidMove as error:
            raise InvalidMove(f"{error}; help lists all commands") from None
        self.move(move)

    def move(self, move: "Move") -> None:
        """Make a move and say what happened."""
        step = self.game.play(move)
        print_out(f"{move.name.lower()}: {said(step, self.game.board.cols)}")
        self.show()
        self._say_goal()

    def undo(self) -> None:
        """Take the last move back."""
        step = self.game.undo()
        print_out(f"took back {step.move.name.lower()}")
        self.show()

    def redo(self) -> None:
        """Make the last undone move again."""
        step = self.game.redo()
        print_out(f"again {step.move.name.lower()}: {said(step, self.game.board.cols)}")
        self.show()

    def show(self) -> None:
        """Print the board and, at the end of the game, say so."""
        print_out(self.game.board.drawn())
        if self.game.is_finished:
            over = self.game.status.value == "over"
            print_out(
                f"the game {'is over: no move is left' if over else 'stops here'}; "
                f"score {self.game.score:,}, {counted(self.game.move_number, 'move')}; "
                "undo takes moves back, new begins another game"
            )

    def _say_goal(self) -> None:
        if self.game.goal_reached and not self._won_before:
            going_on = "" if self.game.is_finished else "; the game goes on"
            print_out(f"you reached {self.game.rules.goal}{going_on}")
        self._won_before = self.game.goal_reached

    def hinter(self) -> "Player":
        """The player that gives hints."""
        if self._hinter is None:
            from twofold.players.presets import default_player

            spec = default_player(self.game.rules) if self._hints is None else self._hints
            self._hinter = open_player(spec, self.game.rules, self.game.seed)
        return self._hinter

    def hint(self) -> None:
        """Say which move the player would make, and what it thinks of the others."""
        from twofold.cli._analysis import format_value
        from twofold.cli._playback import analyse
        from twofold.errors import GameOver

        if self.game.is_finished:
            raise GameOver("expected a game in progress for a hint, got a finished one")
        analysis = analyse(self.hinter(), self.game)
        print_out(f"hint: {analysis.best.name.lower()}")
        values = [
            f"{one.move.name.lower()} {format_value(one.value)}"
            for one in analysis.moves
            if one.value is not None
        ]
        if values:
            unit = f" in {analysis.unit}" if analysis.unit else ""
            print_out(f"values{unit}: {', '.join(values)}")

    def new(self) -> None:
        """Save this game and begin another under the same rules."""
        from twofold.game import Game

        self.leave()
        self.game = Game(self.game.rules, seed=read_seed(None))
        self.resumed = None
        self.path = new_save_path()
        self._saved_moves = None
        self._won_before = self.game.goal_reached
        print_out(f"new game, seed {self.game.seed}")
        self.show()

    # ---- saving

    def save_as(self, name: str) -> None:
        """Write the game to a file; an existing file that is no record is left alone."""
        from twofold.errors import InvalidInput

        if not name:
            raise InvalidInput("expected save FILE, got no file name")
        path = Path(name).expanduser()
        if path.exists():
            self._check_is_record(path)
        self._write(path)
        print_out(f"saved to {path}")

    def _check_is_record(self, path: Path) -> None:
        from twofold.errors import InvalidInput
        from twofold.record import read_record

        try:
            read_record(path)
        except TwofoldError:
            raise InvalidInput(
                f"expected a new file or a saved game to replace, got {str(path)!r}"
            ) from None

    def _write(self, path: Path) -> None:
        from twofold.record import Record, write_record

        write_record(path, Record.from_game(self.game, **self._known()))

    def _known(self) -> dict[str, Any]:
        """What the resumed record says that still holds: its comments up to where play parted."""
        if self.resumed is None:
            return {}
        pairs = zip(self.resumed.moves, self.game.moves, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        last = self.resumed.start_move + same
        return {
            "player": self.resumed.player,
            "date": self.resumed.date,
            "tags": self.resumed.tags,
            "comments": {n: text for n, text in self.resumed.comments.items() if n <= last},
        }

    def _save_now_and_then(self) -> None:
        if time.monotonic() - self._saved_at >= SAVE_SECONDS:
            self._try(self.save)

    def save(self) -> None:
        """Save the game where it is kept, if it has changed."""
        state = (self.game.move_number, self.game.undos)
        if state in (self._saved_moves, (0, 0)):
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._write(self.path)
        self._saved_moves, self._saved_at = state, time.monotonic()

    def leave(self) -> None:
        """Save, and say where the game is and how to go on with it."""
        self.save()
        if self._saved_moves is not None:
            print_out(f"the game is in {self.path}")
            print_out(f"go on with: {shell_line('twofold', 'play', '--resume', str(self.path))}")
        else:
            print_out("nothing to save: no move was made")


def said(step: "Step", cols: int) -> str:
    """What a move did, in words: `8 points, a 2 appears in row 1, column 3`."""
    row, col = divmod(step.cell, cols)
    return (
        f"{counted(step.reward, 'point')}, a {step.tile} appears in row {row + 1}, column {col + 1}"
    )
