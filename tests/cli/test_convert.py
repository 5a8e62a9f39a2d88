"""`twofold convert`: games from one format to another."""

import io
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
    cli: Cli, episodes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The output of another program is there before the input is read."""
    out = tmp_path / "games.jsonl"

    def opened(_: str) -> io.BytesIO:
        out.write_text("another")
        return io.BytesIO(episodes.read_bytes())

    monkeypatch.setattr("twofold.cli.convert.standard_input", opened)
    for more, code in (((), 2), (("--force",), 0)):
        assert cli("convert", "-", str(out), *more).code == code
        assert (out.read_text() == "another") == (code == 2)
        assert not list(tmp_path.glob(".games*"))
        out.unlink()
