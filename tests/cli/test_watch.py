"""`twofold watch` without a terminal; the live picture has its own tests."""

import _thread
import threading
from pathlib import Path

import pytest

from tests.support.commands import Cli
from twofold import Board, Game, Move, Player, Rules, make_player
from twofold.cli.watch import frames
from twofold.game.record import read_record
from twofold.players import play_game


def test_a_line_every_hundred_moves_then_board_and_summary(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.2048"
    code, out, err = cli("watch", "greedy", "--seed", "3", "--record", str(path))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("greedy, seed 3, rules 4x4")
    assert [line.split()[1] for line in lines if line.startswith("move ")] == ["100", "200", "300"]
    assert "score 3,872, largest tile 256, 318 moves, game over" in lines
    assert lines[-1] == "again: twofold watch greedy --seed 3"
    assert lines[-2] == f"written to {path}"
    assert any("reached    256 at move    166" in line for line in lines)
    record = read_record(path)
    assert (record.seed, record.score, record.player) == (3, 3872, "greedy")


def test_every_move_in_words(cli: Cli) -> None:
    code, out, err = cli("watch", "greedy", "--seed", "3", "--rules", "2x2", "--words")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("greedy, seed 3, rules 2x2")
    assert [line.split(":")[0] for line in lines[1:3]] == ["row 1", "row 2"]
    moves = [line for line in lines if line.split(":")[0] in ("up", "right", "down", "left")]
    (outcome,) = [line for line in lines if line.endswith("game over")]
    assert f", {len(moves)} moves, " in outcome
    assert moves[-1].endswith(f"; score {outcome.split()[1].rstrip(',')}")
    assert any("make 4, plus" in line for line in moves)


def test_the_same_seed_is_the_same_game_as_in_bench() -> None:
    player = make_player("random")
    for seed in (1, 2, 3):
        game = Game(Rules(), seed=seed)
        player.start(Rules(), seed)
        *_, last = frames(player, game)
        result = play_game(make_player("random"), Rules(), seed)
        assert result is not None
        assert (last.board, last.score) == (result.board, result.score)


def test_rules_are_part_of_the_command_that_plays_it_again(cli: Cli) -> None:
    _, out, _ = cli("watch", "corner", "--seed", "1", "--rules", "2x2 goal=16 stop=goal")
    assert " reached" in out or "game over" in out
    assert out.splitlines()[-1] == (
        "again: twofold watch corner --seed 1 "
        "--rules '2x2 spawn=2:0.9,4:0.1 start=2 goal=16 stop=goal'"
    )


@pytest.mark.promise("R65")
@pytest.mark.parametrize("ends", ["return board.legal_moves()[0]", "raise ValueError"])
def test_a_record_that_appears_meanwhile_is_kept(cli: Cli, tmp_path: Path, ends: str) -> None:
    """The player writes what another `twofold watch` would have written."""
    (tmp_path / "slow.py").write_text(
        "import pathlib\n"
        "def slow(board):\n"
        "    if board.max_tile < 8:\n"
        "        return board.legal_moves()[0]\n"
        "    (pathlib.Path(__file__).parent / 'game.2048').write_text('another')\n"
        f"    {ends}\n"
    )
    path, beside = tmp_path / "game.2048", tmp_path / "game-2.2048"
    player = f"{tmp_path}/slow.py:slow"
    words = ("watch", player, "--rules", "3x3", "--seed", "1", "--record", str(path))
    done = cli(*words)
    assert f"written to {beside} (another program has written {path})" in done.out + done.err
    assert path.read_text() == "another"
    record = read_record(beside)
    beside.unlink()
    again = cli(*words, "--force")
    assert f"written to {path}" in again.out + again.err
    assert read_record(path).moves == record.moves


@pytest.mark.parametrize("form", ["--plain", "--words"])
def test_a_game_whose_player_fails_is_recorded(cli: Cli, tmp_path: Path, form: str) -> None:
    (tmp_path / "bad.py").write_text(
        "def tired(board):\n"
        "    if board.max_tile == 32:\n"
        "        raise ValueError('tired')\n"
        "    return board.legal_moves()[0]\n"
    )
    path = tmp_path / "game.2048"
    code, _, err = cli("watch", f"{tmp_path}/bad.py:tired", form, "--record", str(path))
    assert code == 1
    assert f"written to {path}: the " in err
    assert "ValueError: tired" in err
    game = read_record(path).replay()
    assert game.board.max_tile == 32
    assert not game.is_finished


class Deaf(Player):
    """Presses Ctrl-C at its fifth move, and then does not return."""

    over = threading.Event()

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        if move_number == 5:
            _thread.interrupt_main()
            assert self.over.wait(60)
        return board.legal_moves()[0]


@pytest.mark.parametrize("form", ["--plain", "--words"])
def test_a_player_that_does_not_return_is_left_behind(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr("twofold.cli._thinking.STOP_SECONDS", 0.05)
    monkeypatch.setattr(Deaf, "over", threading.Event())
    path = tmp_path / "game.2048"
    player = f"{__name__}:Deaf"
    code, out, _ = cli("watch", player, form, "--seed", "1", "--record", str(path))
    Deaf.over.set()
    assert code == 130
    assert "\ninterrupted\nscore " in out
    assert ", 5 moves, not finished\n" in out
    assert len(read_record(path).moves) == 5


def test_the_pace_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    class Stop(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            nonlocal now
            now += timeout or 0.0
            return False

    monkeypatch.setattr("time.monotonic", lambda: now)
    source = frames(make_player("greedy"), Game(seed=1), 4.0, Stop())
    for _ in range(9):
        next(source)
    assert now == pytest.approx(2.0)
