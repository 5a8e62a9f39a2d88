"""`twofold convert`: games from one format to another."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.game.replays import FINAL, REPLAYS
from tests.support.commands import Cli
from twofold.game.formats import parse_any_record, read_games


@pytest.fixture
def replay(tmp_path: Path) -> Path:
    path = tmp_path / "replay.txt"
    path.write_text(REPLAYS["verse"], encoding="utf-8")
    return path


@pytest.fixture
def episodes(tmp_path: Path) -> Path:
    path = tmp_path / "stats.txt"
    other = "b:place@0|0131#D92|place@0"
    path.write_text(f"{REPLAYS['moporgic']}\n{other}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["verse", "moporgic", "original"])
def test_a_record_becomes_a_replay(cli: Cli, replay: Path, tmp_path: Path, name: str) -> None:
    game, out = tmp_path / "game.2048", tmp_path / "out.txt"
    cli("convert", str(replay), str(game))
    result = cli("convert", str(game), str(out), "--to", name)
    assert result.code == 0
    text = out.read_text(encoding="utf-8")
    assert str(parse_any_record(text).final) == FINAL
    assert ("left out" in result.err) == (name == "original")
    to_output = cli("convert", str(game), "--to", name)
    assert (to_output.code, to_output.out) == (0, text)


def test_what_is_left_out_is_said_once(cli: Cli, episodes: Path, tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    assert cli("convert", str(episodes), str(games)).code == 0
    assert [record.player for record in read_games(games, "jsonl")] == ["TDL2048", "b"]
    result = cli("convert", str(games), str(tmp_path / "one.txt"), "--to", "verse", "--game", "1")
    assert result.err.endswith("left out, as verse has no place for it: the player, the date\n")


def test_a_game_becomes_a_page(cli: Cli, replay: Path, tmp_path: Path) -> None:
    out = tmp_path / "game.html"
    assert cli("convert", str(replay), str(out)).code == 0
    page = out.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "http" not in page.replace("http-equiv", "")  # it needs nothing from elsewhere
    to_output = cli("convert", str(replay), "--to", "html")
    assert to_output.out == page


@pytest.mark.promise("R65")
def test_a_file_that_appears_while_games_are_read_is_kept(
    cli: Cli, episodes: Path, tmp_path: Path
) -> None:
    """A pipe brings the games once the output of another program is there."""
    out = tmp_path / "games.jsonl"
    words = [sys.executable, "-m", "twofold", "convert", "-", str(out)]
    for more, code, content in (([], 2, "another"), (["--force"], 0, "")):
        with subprocess.Popen([*words, *more], stdin=subprocess.PIPE) as process:
            assert process.stdin is not None
            while not list(tmp_path.glob(".games*")):  # it reads
                assert process.poll() is None
                time.sleep(0.01)
            out.write_text("another")
            process.stdin.write(episodes.read_bytes())
            process.stdin.close()
            assert process.wait(60) == code
        assert not list(tmp_path.glob(".games*"))
        assert (out.read_text() == "another") == bool(content)
        if content:
            out.unlink()
