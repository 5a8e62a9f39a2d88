"""`twofold review`: the moves of a recorded game judged."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Cli, write_game
from twofold import Board, Game, Record, Rules
from twofold.game.record import write_record
from twofold.games.judge import MoveJudgement
from twofold.games.review import judge
from twofold.search.budget import Stop

TINY = ("--player", "ntuple:net=tiny,ply=1")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.2048"
    write_game(path, 80)
    return path


def document(cli: Cli, *arguments: str) -> dict[str, Any]:
    code, out, err = cli("review", *arguments, "--json")
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_game_from_standard_input(cli: Cli, record: Path) -> None:
    by_name = document(cli, str(record), "--player", "greedy")
    code, out, _ = cli("review", "-", "--player", "greedy", "--json", stdin=record.read_text())
    assert code == 0
    assert json.loads(out)["judgements"] == by_name["judgements"]
    code, _, err = cli("review", "-", stdin="junk")
    assert code == 2
    assert err.startswith("twofold: standard input: expected a game or a board in a known form")


# ---- the text


def test_the_summary_and_the_worst_moves(cli: Cli, record: Path) -> None:
    code, out, err = cli("review", str(record), "--worst", "2", *TINY)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("80 moves, ")
    assert lines[0].endswith(" going, by me")
    assert lines[1] == "judged by ntuple:net=tiny,ply=1, values in points"
    assert lines[2].startswith("80 moves judged in ")
    for label in ("accuracy", "best moves", "goodness of fit", "longest run", "best", "blunder"):
        assert any(line.startswith(label) for line in lines)
    assert sum(line.startswith("move ") and "instead of" in line for line in lines) == 2
    assert sum(line.endswith("  made") for line in lines) == 2
    assert sum(line.endswith("  best") for line in lines) == 2
    assert all(len(line) <= 80 and line == line.rstrip() for line in lines)
    assert "instead of" not in cli("review", str(record), "--worst", "0", *TINY).out


def test_other_players_and_shapes(cli: Cli, tmp_path: Path) -> None:
    write_game(tmp_path / "small.2048", 30, Rules.parse("2x3"))
    code, out, _ = cli("review", str(tmp_path / "small.2048"), "--worst", "1")
    assert code == 0
    assert "judged by expectimax:ply=3, values on the player's own scale" in out
    code, out, _ = cli("review", str(tmp_path / "small.2048"), "--player", "greedy")
    assert "judged by greedy, values in points" in out


def test_a_game_without_a_move(cli: Cli, tmp_path: Path) -> None:
    write_record(tmp_path / "new.2048", Record.from_game(Game(seed=1)))
    code, out, _ = cli("review", str(tmp_path / "new.2048"), *TINY)
    assert code == 0
    assert out.splitlines()[0].startswith("0 moves, 0 points")
    assert "no accuracy: there was no choice" in out
    found = document(cli, str(tmp_path / "new.2048"), *TINY)
    assert (found["interrupted"], found["accuracy"]) == (False, None)


def test_a_forced_move_has_no_accuracy(cli: Cli, tmp_path: Path) -> None:
    game = Game.from_board(Board.parse("1x2:01"), Rules.parse("1x2"), 1)
    game.play("l")
    write_record(tmp_path / "forced.2048", Record.from_game(game))
    _, out, _ = cli("review", str(tmp_path / "forced.2048"))
    assert "accuracy         –, there was no choice\nbest moves       –\n" in out
    found = document(cli, str(tmp_path / "forced.2048"))
    figures = [found[name] for name in ("accuracy", "match_rate", "goodness_of_fit", "note")]
    assert figures == [None, None, None, "there was no choice"]


@pytest.mark.parametrize(
    ("player", "name", "is_said"),
    [
        ("ntuple:ply=2,tables=442-512", "network, 2 plies, with tables", True),
        ("ntuple:ply=3", "strong", False),
        ("me", "me", False),
    ],
)
def test_a_judge_without_the_tables_of_the_player_says_so(
    cli: Cli, record: Path, player: str, name: str, is_said: bool
) -> None:
    text = record.read_text().replace('[Player "me"]', f'[Player "{player}"]')
    record.write_text(text, encoding="utf-8")
    _, out, _ = cli("review", str(record), *TINY)
    assert out.splitlines()[0].endswith(f"by {name}")
    assert ("the judge has none" in out) is is_said
    found = document(cli, str(record), *TINY)
    assert ("the judge has none" in (found["note"] or "")) is is_said
    assert found["played_by"] == player


# ---- Ctrl-C


def test_ctrl_c_gives_the_part_so_far(
    cli: Cli, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, stop: Stop) -> Iterator[MoveJudgement]:
        for number, one in enumerate(judge(*arguments, stop=stop)):
            yield one
            if number == 19:
                signal.raise_signal(signal.SIGINT)
                while not stop.is_raised:
                    time.sleep(0.001)

    monkeypatch.setattr("twofold.cli.review.judge", interrupted)
    code, out, err = cli("review", str(record), *TINY, "--json")
    assert code == 130
    assert "interrupted" in err
    found = json.loads(out)
    assert (found["judged"], found["moves"], found["interrupted"]) == (20, 80, True)
