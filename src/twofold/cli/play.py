"""`twofold play`: you play, on the full screen, in plain text or in words."""

import sys
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from twofold.cli._options import (
    USUAL_PLAYER,
    DiceSeedOption,
    RulesOption,
    flag,
    open_player,
    option,
    read_keys_from_terminal,
    read_rules,
    read_seed,
    standard_input,
)
from twofold.cli._output import print_out, print_words, wrapped
from twofold.cli.tui.picture import can_open
from twofold.cli.tui.tiles import words_of_board, words_of_move
from twofold.errors import (
    INTERRUPTED,
    GameOver,
    InvalidInput,
    InvalidMove,
    PlayerError,
    TwofoldError,
)
from twofold.figures import counted
from twofold.game.board import Board
from twofold.game.formats import parse_any_record, read_any_record
from twofold.game.game import Game
from twofold.game.notation import MOVE_LETTERS, shell_line, shown
from twofold.game.record import Record, read_record, write_record
from twofold.game.record_text import located
from twofold.game.rules import Move, Rules
from twofold.game.step import Step, makes_goal
from twofold.games.kept import unindexed
from twofold.games.live_game import LiveGame, new_game, next_game, opened
from twofold.games.mover import PLEASANT, analyse, question_of
from twofold.games.shared_game import SharedGame
from twofold.games.store import GameStore, games_folder
from twofold.limits import MAX_RECORD_BYTES
from twofold.players import Player, PlayerSpec
from twofold.players.base import describe_caught
from twofold.players.registry import default_player
from twofold.search.analysis import PROBABILITY, format_in_unit, table_words, unit_words
from twofold.storage.files import new_file, writing

EXAMPLE = """  twofold play
  twofold play --rules '3x3 goal=256' --hints greedy
  twofold play --words
  echo 'l d l d quit' | twofold play --seed 1"""

HELP: Final = """\
u, r, d, l         move up, right, down, left; several on a line are made in turn
undo, redo         take a move back, make it again with the same tile
hint               what the player of --hints would do
board              show the board again
save FILE          write the game to a file; save --force FILE replaces another
new                save this game and begin another one; undo goes back
help, quit"""
_HANG: Final = 19
"""Columns before the words about a command."""


def command(
    hints: Annotated[
        str | None, option("PLAYER", f"Player that gives hints. {USUAL_PLAYER}")
    ] = None,
    rules: RulesOption = "",
    seed: DiceSeedOption = None,
    resume: Annotated[
        str | None, option("GAME", "Saved game or file to continue; - reads standard input.")
    ] = None,
    plain: Annotated[bool, flag("--plain", "Plain text: type u, r, d or l and Enter.")] = False,
    words: Annotated[bool, flag("--words", "Words instead of boards, for screen readers.")] = False,
) -> None:
    """Play in the terminal.

    With the extra 'tui' the arrow keys move, ? shows all keys, and a player gives hints. Without
    it, without a terminal or with --plain, type u, r, d or l and Enter; help lists all commands.
    The game is saved as you play, beside those of the web app. Quitting, and Ctrl-C, print the
    command that continues it. A game from a file or from standard input, in any format that
    `convert` reads, is saved as a new one unless it is saved already, and does not count for the
    best score. With standard input the keys come from the terminal.
    """
    player = PlayerSpec.parse(hints) if hints else None
    if resume is not None:
        for name, given in (("--rules", rules), ("--seed", seed)):
            if given:
                raise InvalidInput(f"expected no {name} with --resume: the saved game has its own")
    with closing(GameStore(games_folder())) as store:
        if resume is not None:
            kept = _resumed(store, resume)
        else:
            game = Game(read_rules(rules, [player] if player else ()), seed=read_seed(seed))
            kept = new_game(store, game)
        player = player and player.settled(kept.game.rules)
        table = TextGame(kept, player, words=words)
        helper = table.hinter() if player else None
        if not plain and not words and can_open():
            _play_on_screen(kept, player, helper)
        else:
            table.play()


def _resumed(store: GameStore, name: str) -> LiveGame:
    """The game of --resume."""
    game, mark = store.named(name), 0
    if not game:
        found = _read(name)
        game = store.find(unindexed(found))
    if game:
        record, mark = (version := store.read(game)).record, version.mark
    else:
        game, record = store.new_id(), opened(found)
    return LiveGame(record.replay(), store, game, record, mark=mark)


def _read(name: str) -> Record:
    """The game in a file, or on standard input if the name is `-`."""
    if name != "-":
        if not Path(name).exists():
            raise InvalidInput(f"expected a saved game or a file, got {shown(name)}")
        return read_any_record(name)
    with located("standard input"):
        found = parse_any_record(standard_input("game").read(MAX_RECORD_BYTES + 1))
    read_keys_from_terminal()
    return found


def _play_on_screen(kept: LiveGame, hints: PlayerSpec | None, helper: Player | None) -> None:
    from twofold.cli.tui.game_screen import PlayScreen  # an extra
    from twofold.cli.tui.screen import run

    def make(rules: Rules) -> Player:
        spec = hints or default_player(rules)
        shared.spec, shared.title = spec.text, spec.title
        return helper or spec.make()

    shared = SharedGame(kept, make, PLEASANT, hints.text if hints else "")
    interrupted = True
    try:
        interrupted = run(PlayScreen(shared))
    finally:
        shared.close()
        leave(shared.live)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def leave(kept: LiveGame) -> None:
    """Save a game, and say where it is and how to go on with it."""
    kept.save()
    if not kept.is_written:
        print_out("nothing to save: no move was made")
        return
    if notice := kept.take_notice():
        print_out(notice)
    print_out(f"the game is saved as {kept.name}")
    if not kept.game.is_finished:
        print_out(f"continue with: {shell_line('twofold', 'play', '--resume', kept.name)}")


class TextGame:
    """A game being played by a person in text.

    Args:
        kept: the game.
        hints: the player that gives hints; None means the default player.
        words: whether everything is said in words, and nothing drawn.
    """

    def __init__(self, kept: LiveGame, hints: PlayerSpec | None, *, words: bool = False) -> None:
        self.kept = kept
        self._hints = hints
        self._words = words
        self._hinter: Player | None = None
        self._commands: dict[str, Callable[[], None]] = {
            "undo": self.undo,
            "redo": self.redo,
            "hint": self.hint,
            "board": self.show,
            "new": self.new,
            "help": lambda: print_out(wrapped(HELP, _HANG)),
        }

    @property
    def game(self) -> Game:
        """The game that is played now."""
        return self.kept.game

    def play(self) -> None:
        """Read commands until quit, the end of the input or Ctrl-C; save and say so.

        Raises:
            typer.Exit: it was interrupted.
        """
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")
        print_words(f"rules {self.game.rules}, seed {self.game.seed}")
        print_words("type u, r, d or l and Enter; help lists all commands\n")
        self.show()
        try:
            while self.obey(self._read()):
                self._try(self._save)
        except EOFError:
            print_out()
        except KeyboardInterrupt:
            self.kept.save()  # before a word is said: a terminal that was closed takes none
            print_out()
            leave(self.kept)
            raise typer.Exit(INTERRUPTED) from None
        leave(self.kept)

    def _read(self) -> str:
        prompt = f"\nmove {self.game.move_number}, score {self.game.score:,} > "
        return input("> " if self._words else prompt)

    def _save(self) -> None:
        self.kept.save()  # at once: it may take a while until something is typed again
        self.kept.save_now_and_then()  # looks for moves of another program
        if notice := self.kept.take_notice():
            print_out(notice)
            self.show()

    def obey(self, line: str) -> bool:
        """Do what a line says, up to the first word that is refused; False to end."""
        words = line.split()
        if words[:1] == ["save"]:
            self._try(lambda: self.save_as(line.strip()[4:].strip()))
            return True
        words = [part for word in words for part in _parts(word.lower())]
        for number, word in enumerate(words, 1):
            if word in ("quit", "q", "exit"):
                return False
            if not self._try(self._commands.get(word, partial(self._move, word))):
                if rest := words[number:]:
                    print_words(f"not done: {shown(' '.join(rest))}")
                break
        return True

    def _try(self, action: Callable[[], None]) -> bool:
        """True if the call succeeds; otherwise prints why it failed."""
        try:
            action()
        except TwofoldError as error:
            print_out(str(error))
            return False
        return True

    def _move(self, word: str) -> None:
        """Make a move and say what happened."""
        try:
            move = Move.parse(word)
        except InvalidMove as error:
            raise InvalidMove(f"{error}; help lists all commands") from None
        before = self.game.board
        if before.is_over:
            raise GameOver("the game is over; undo takes moves back, new begins another game")
        step = self.game.play(move)
        self.kept.note_move()
        self._tell(before, step, "")

    def undo(self) -> None:
        """Take the last move back; right after a new game, go back to the previous game."""
        if self.kept.previous is not None:
            self.kept = self.kept.previous
            print_out("back in the previous game")
            self.show()
            return
        self.kept.refuse_in_daily("undo")
        step = self.game.undo()
        print_out(f"took back {step.move.name.lower()}{self._score_words()}")
        self.show()

    def redo(self) -> None:
        """Make the last undone move again."""
        before = self.game.board
        self._tell(before, self.game.redo(), "again ")

    def _tell(self, before: Board, step: Step, again: str) -> None:
        """Print what a move did and the result."""
        print_out(again + words_of_move(before, step.move, step.board) + self._score_words())
        if self._words:
            self._say_end()
        else:
            self.show()
        if makes_goal(before, step.board, self.game.rules) and not self.game.is_finished:
            print_words(f"you reached {self.game.rules.goal}; the game goes on")

    def _score_words(self) -> str:
        return f"; score {self.game.score:,}" if self._words else ""

    def show(self) -> None:
        """Print the board and, at the end of the game, say so."""
        if self._words:
            print_out("\n".join(words_of_board(self.game.board)))
        else:
            print_out(self.game.board.drawn())
        self._say_end()

    def _say_end(self) -> None:
        if self.game.is_finished:
            reached = f"you reached {self.game.rules.goal}; " if self.game.goal_reached else ""
            over = self.game.board.is_over
            print_out(
                f"{reached}the game {'is over: no move is left' if over else 'stops here'}; "
                f"score {self.game.score:,}, {counted(self.game.move_number, 'move')}; "
                "undo takes moves back, new begins another game"
            )

    def hinter(self) -> Player:
        """The player that gives hints."""
        if self._hinter is None:
            spec = self._hints or default_player(self.game.rules)
            self._hinter = open_player(spec, self.game.rules, self.game.seed)
        return self._hinter

    def hint(self) -> None:
        """Say which move the player would make, and what it thinks of the others."""
        if self.game.is_finished:
            raise GameOver("expected a game in progress for a hint, got a finished one")
        self.kept.refuse_in_daily("hints")
        try:
            analysis = analyse(self.hinter(), question_of(self.game))
        except TwofoldError:
            raise
        except Exception as error:
            raise PlayerError(f"no hint: {describe_caught(error)}") from error
        self.kept.hint_shown(self.game.board)
        print_out(f"hint: {analysis.best.name.lower()}")
        if analysis.table is not None:
            print_words(f"table {table_words(analysis.table)}")
        values = [
            f"{one.move.name.lower()} {format_in_unit(one.value, analysis.unit)}"
            for one in analysis.moves
            if one.value is not None
        ]
        if values:
            unit = f"values {unit_words(analysis.unit)}".rstrip()
            name = "probabilities" if analysis.unit == PROBABILITY else unit
            print_words(f"{name}: {', '.join(values)}")

    def new(self) -> None:
        """Save this game and begin another under the same rules."""
        leave(self.kept)
        self.kept = next_game(self.kept)
        print_out(f"new game, seed {self.game.seed}; undo goes back to the previous one")
        self.show()

    def save_as(self, name: str) -> None:
        """Write the game to a file, or InvalidInput; `--force FILE` replaces another."""
        force = name.split()[:1] == ["--force"]
        path = name.removeprefix("--force").strip() if force else name
        if not path:
            raise InvalidInput("expected save FILE, got no file name")
        place = Path(path).expanduser()
        with writing(place):
            new_file(place, force=force, continued=self._check_is_this_game)
            write_record(place, self.kept.record())
        print_out(f"saved to {place}")

    def _check_is_this_game(self, path: Path) -> None:
        ours = self.kept.record()
        with suppress(TwofoldError):
            known = read_record(path)
            if (known.rules, known.seed, known.board) == (ours.rules, ours.seed, ours.board):
                return
        raise InvalidInput(f"expected a new file or a save of this game, got {str(path)!r}")


def _parts(word: str) -> Iterable[str]:
    """The moves of a word such as `lld`, or the word."""
    return word if set(word) <= set(MOVE_LETTERS) else [word]
