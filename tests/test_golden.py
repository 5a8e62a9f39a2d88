"""50 games in git: replayed they end as they did, and their players play them again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.golden.rewrite import FOLDER, GAMES, make_texts
from twofold.game.record import Record, format_record, parse_record

PATHS = sorted(FOLDER.glob("*.txt"))


@pytest.mark.promise("R3")
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_golden_game_replays_byte_for_byte(path: Path) -> None:
    data = path.read_bytes()
    record = parse_record(data)
    game = record.replay()
    assert [str(game.score), str(game.board)] == [str(record.score), str(record.final)]
    again = Record.from_game(game, player=record.player, comments=record.comments, tags=record.tags)
    assert format_record(again).encode() == data


@pytest.mark.promise("R3")
def test_the_players_play_the_golden_games_again(figure: Callable[[str], None]) -> None:
    texts = dict(make_texts())
    assert len(PATHS) == len(GAMES) == len(texts) == 50
    for path in PATHS:
        assert texts[path.name].encode() == path.read_bytes(), path.name
    moves = sum(len(parse_record(text).moves) for text in texts.values())
    figure(f"{len(texts)} games, {moves:,} moves: equal byte for byte")
