"""`twofold play`: a game by typed commands."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from tests.games.kept_games import overwrite
from tests.support.commands import Cli
from tests.support.terminals import exit_code, read_until, terminal
from twofold import Board, Game, Move, Rules
from twofold.cli import play
from twofold.cli.play import TextGame, leave
from twofold.game.record import Record, read_record, write_record
from twofold.games import live_game as saving
from twofold.games.daily import new_record
from twofold.games.kept import OPENED_TAG
from twofold.games.live_game import LiveGame, new_game
from twofold.games.store import GameStore, games_folder, read_game
from twofold.players import PlayerSpec


def saved(out: str) -> str:
    """The id of the game that a command has left."""
    found = re.search(r"the game is saved as (.*)", out)
    assert found, out
    return found[1]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GameStore]:
    with closing(GameStore(tmp_path / "games")) as store:
        yield store


def table_of(
    store: GameStore, game: Game, hints: str | None = None, *, words: bool = False
) -> TextGame:
    player = PlayerSpec.parse(hints) if hints else None
    return TextGame(new_game(store, game), player, words=words)


def test_moves_are_made_and_said_in_words(cli: Cli) -> None:
    code, out, err = cli("play", "--seed", "1", stdin="undo\nl\nDOWN\nundo\nredo redo\nquit\n")
    assert (code, err) == (0, "")
    down = "down: 2 and 2 make 4, plus 4, new 4 at row 2, column 3\n. . . .\n. . 4 .\n"
    for text in (
        "rules 4x4",
        "there is no move to undo",
        "left: no merge, new 4 at row 4, column 4\n",
        down,
        "move 2, score 4 >",
        "took back down\n",
        f"again {down}",
        "there is no undone move to redo",
    ):
        assert text in out
    _, out, _ = cli("play", "--seed", "1", "--words", stdin="l\nd\nundo\nredo\nboard\nquit\n")
    lines = [line.removeprefix("> ") for line in out.splitlines()]
    assert "row 1: empty, empty, empty, empty" in lines
    made = "down: 2 and 2 make 4, plus 4, new 4 at row 2, column 3; score 4"
    assert {made, "took back down; score 0", f"again {made}"} <= set(lines)
    assert ". ." not in out


@pytest.mark.parametrize(
    ("line", "fault", "rest"),
    [
        ("l d x l u", "expected a move u, r, d or l", "'l u'"),
        ("llllLLllll board", "expected a legal move", "'l "),
        ("l d redo quit", "there is no undone move to redo", "'quit'"),
        ("l d x", "help lists all commands", ""),
    ],
)
def test_a_line_is_done_up_to_the_first_word_that_is_refused(
    cli: Cli, line: str, fault: str, rest: str
) -> None:
    _, out, _ = cli("play", "--seed", "1", stdin=f"{line}\n")
    assert fault in out
    assert ("not done: " + rest in out) if rest else "not done" not in out


def test_hints(cli: Cli) -> None:
    _, out, _ = cli("play", "--seed", "1", stdin="hint\nhelp\n")  # of the default player
    assert re.search(r"hint: (up|right|down|left)\n", out)
    assert re.search(r"values.*: up -?\d", out)
    for word in ("undo, redo", "hint", "save FILE", "new", "quit"):
        assert word in out


def test_the_end_of_input_saves_and_says_how_to_go_on(cli: Cli) -> None:
    _, out, _ = cli("play", "--seed", "1", stdin="l\nd\n")
    name = saved(out)
    assert f"continue with: twofold play --resume {name}" in out
    _, out, _ = cli("play", "--resume", name, stdin="undo\nu\n")
    assert "seed 1" in out
    assert "took back down" in out
    assert saved(out) == name
    assert Record.parse(cli("convert", name, "-").out) == read_game(name)
    assert cli("review", name, "--player", "greedy").code == 0
    assert read_game(name).moves == (Move.LEFT, Move.UP)


def test_what_a_resumed_record_says_is_kept(cli: Cli, tmp_path: Path) -> None:
    game = Game(seed=1)
    for _ in range(3):
        game.play(game.legal_moves()[0])
    tags = {"Event": "club night"}
    record = Record.from_game(
        game, player="Ada", date="2048-01-31", comments={1: "good", 3: "bad"}, tags=tags
    )
    path = tmp_path / "game.2048"
    write_record(path, record)
    keys = f"undo\n{game.legal_moves()[-1].letter}\nsave --force {path}\nquit\n"
    _, out, _ = cli("play", "--resume", str(path), stdin=keys)
    found = read_game(saved(out))
    assert (found.player, found.date) == ("Ada + me", "2048-01-31")
    assert found.tags == {**tags, OPENED_TAG: "yes"}
    assert found.comments == {1: "good"}  # the third move has been taken back
    assert saved(cli("play", "--resume", str(path), stdin="").out) == saved(out)  # the same game


def test_a_game_without_moves_is_not_saved(cli: Cli, tmp_path: Path) -> None:
    _, out, _ = cli("play", stdin="")
    assert "nothing to save" in out
    assert not (tmp_path / "state").exists()


def test_a_new_game_keeps_the_old_one_and_undo_goes_back(cli: Cli) -> None:
    _, out, _ = cli("play", "--seed", "1", stdin="l\nnew\nundo\nundo\nundo\nnew\nu\nr\nd\nl\n")
    assert "new game, seed" in out
    assert "back in the previous game\n" in out
    assert out.count("took back left") == 1
    assert "there is no move to undo" in out
    with closing(GameStore(games_folder())) as store:
        assert len(store.games()) == 2


def test_save_to_a_file(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "my game.2048"
    _, out, _ = cli("play", "--seed", "1", stdin=f"l\nsave {path}\nsave {path}\nsave\n")
    assert out.count(f"saved to {path}") == 2
    assert "expected save FILE, got no file name" in out
    assert read_record(path).moves == (Move.LEFT,)


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize(
    ("rules", "board", "says"),
    [
        ("2x2 goal=4", "2x2:11/00", "you reached 4; the game goes on"),
        ("2x2 goal=4 stop=goal", "2x2:11/00", "you reached 4; the game stops here; score 4"),
        ("1x3", "1x3:122", "the game is over: no move is left; score 8"),
        ("1x3 goal=8", "1x3:122", "you reached 8; the game is over: no move is left; score 8"),
    ],
)
def test_the_goal_and_the_end_are_said_each_time(
    capsys: pytest.CaptureFixture[str], store: GameStore, rules: str, board: str, says: str,
    *, words: bool,
) -> None:  # fmt: skip
    game = Game.from_board(Board.parse(board), Rules.parse(rules), 1)
    table = table_of(store, game, "greedy", words=words)
    ends = "goes on" not in says
    for commands in ("l", "undo l", "undo redo", *(["board"] if ends else [])):
        table.obey(commands)
        out = capsys.readouterr().out
        assert out.count(says + ", 1 move; undo takes moves back" * ends) == 1, commands
    table.obey("hint" if ends else "u")
    out = capsys.readouterr().out
    assert ("expected a game in progress" if ends else "up: ") in out
    assert "you reached" not in out
    table.obey("l")
    out = capsys.readouterr().out
    assert out.startswith(("the game is over; undo", "the game has stopped")) == ends
    leave(table.kept)
    assert ("continue with" in capsys.readouterr().out) != ends


def test_hints_are_counted_and_refused_in_the_daily_game(
    capsys: pytest.CaptureFixture[str], store: GameStore
) -> None:
    table = table_of(store, Game(seed=1), "greedy")
    table.obey("hint")
    table.obey("hint")
    assert table.kept.hints == 1
    record = new_record(date(2026, 11, 23), "2026-11-23T12:00:00+00:00")
    table = TextGame(LiveGame(record.resume(), resumed=record), PlayerSpec.parse("greedy"))
    table.obey("l")
    for what in ("hint", "undo"):
        table.obey(what)
    out = capsys.readouterr().out
    for what in ("hints", "undo"):
        assert f"the daily game is played without {what}: there is one try a day" in out
    assert (table.kept.hints, table.game.move_number) == (0, 1)


@pytest.mark.promise("R65")
def test_another_program_with_the_same_game_is_named(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one plays, and at its end."""
    monkeypatch.setattr(saving, "SAVE_SECONDS", 0.0)
    name, resumed = saved(cli("play", "--seed", "1", stdin="l\n").out), play._resumed
    game = read_game(name).resume()

    def while_another_plays(store: GameStore, name: str) -> LiveGame:
        live = resumed(store, name)
        for _ in range(2):
            game.play(game.legal_moves()[0])
        overwrite(store.folder, name, Record.from_game(game))
        return live

    monkeypatch.setattr(play, "_resumed", while_another_plays)
    same, news = game.legal_moves()[0].letter, "another program went on with this game"
    for keys, said in ((f"{same}\n\nquit\n", f"{news}; its moves are here now"), ("", news)):
        assert said in cli("play", "--resume", name, stdin=keys).out
    other = game.legal_moves()[-1].letter
    _, out, _ = cli("play", "--resume", name, stdin=f"{other}\nquit\n")
    assert f"another program has saved other moves in {name}; this game is now saved as" in out
    assert f"continue with: twofold play --resume {saved(out)}" in out
    assert saved(out) != name


def test_a_game_from_standard_input_and_moves_from_the_terminal(cli: Cli, tmp_path: Path) -> None:
    path, state = tmp_path / "game.2048", tmp_path / "state"
    cli("watch", "greedy", "--seed", "3", "--rules", "3x3", "--plain", "--record", str(path))
    lines = cli("convert", str(path), "-", "--to", "jsonl").out
    moves = len(read_record(path).moves)
    game = ("play", "--resume", "-", "--plain")
    with terminal(*game, given=lines, TWOFOLD_STATE_DIR=str(state)) as (process, main):
        read_until(main, f"move {moves}, score ")
        os.write(main, b"undo\nquit\n")
        read_until(main, "continue with: ")
        assert exit_code(process, main) == 0
    with closing(GameStore(state / "games")) as store:
        (kept,) = store.games()
        record = store.read(kept.info.game).record
        assert (len(record.moves), record.undos) == (moves - 1, 1)
        assert kept.info.kind == "file"  # whose game it was is not known: it is no best score
        assert store.best(kept.info.rules) == 0


def test_a_game_from_standard_input_needs_a_terminal() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "twofold", "play", "--resume", "-"],
        input=str(Record.from_game(Game(seed=1))),
        text=True,
        capture_output=True,
        start_new_session=True,  # without the terminal of the tests
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    needs = "expected a terminal for the keys, since the game"
    assert done.stderr.startswith(f"twofold: {needs}")
