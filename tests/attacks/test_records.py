"""Hostile records are refused, each with its own error, or are shown as the text they are."""

import time
import tracemalloc
from collections.abc import Callable

import pytest

from tests.attacks.records import FOREIGN, GOOD, NAMES, REFUSED, V4C, Attack
from twofold.errors import InvalidRecord
from twofold.game import game as game_module
from twofold.game.foreign import turns
from twofold.game.formats import parse_any_record
from twofold.game.game import Game
from twofold.game.notation import printable
from twofold.game.record import Record, format_line, format_record, parse_line, parse_record
from twofold.game.rules import Move

pytestmark = pytest.mark.promise("R23b")
SECONDS = 20.0  # of the processor; the largest texts here have 32 MiB
BYTES = 64 * 2**20


@pytest.mark.parametrize(
    ("attack", "parse"),
    [*((one, parse_record) for one in REFUSED), *((one, parse_any_record) for one in FOREIGN)],
    ids=lambda one: getattr(one, "name", ""),
)
def test_refused(attack: Attack, parse: Callable[[bytes | str], Record]) -> None:
    data = attack.make()
    began = time.thread_time()
    tracemalloc.start()
    try:
        with pytest.raises(InvalidRecord, match=attack.error) as caught:
            parse(data)
        assert tracemalloc.get_traced_memory()[1] < BYTES + 2 * len(data)
    finally:
        tracemalloc.stop()
    assert time.thread_time() - began < SECONDS
    said = str(caught.value)
    assert said.isprintable()
    assert len(said) < 500


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_shown_as_text(name: str) -> None:
    game = Game(seed=1)
    game.play(Move.DOWN)
    record = Record.from_game(
        game, player=name, date=name, comments={0: name, 1: name}, tags={"Event": name}
    )
    text, line = format_record(record), format_line(record)
    assert (text.replace("\n", "") + line).isprintable()
    assert parse_record(text) == parse_line(line) == record
    assert printable(name).isprintable()


@pytest.mark.parametrize("place", ["[Twofold", "[Rules", "[Seed", "[Score", "[Result", "drdlur"])
def test_errors_show_it_as_text(place: str) -> None:
    line = next(line for line in GOOD.splitlines() if line.startswith(place))
    for name in NAMES.values():
        quoted = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
        with pytest.raises(InvalidRecord) as caught:
            parse_record(GOOD.replace(line, f"{place} {quoted}]" if place[0] == "[" else quoted))
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("parse", [parse_record, parse_line])
def test_the_cap_on_moves(parse: Callable[[str], Record], monkeypatch: pytest.MonkeyPatch) -> None:
    """The cap fires at the first move past it, before that move is played."""
    game = Game(seed=1)
    for _ in range(101):
        game.play(game.legal_moves()[0])
    record = Record.from_game(game)
    text = format_record(record) if parse is parse_record else format_line(record)
    monkeypatch.setattr(game_module, "MAX_RECORD_MOVES", 101)
    assert parse(text) == record
    monkeypatch.setattr(game_module, "MAX_RECORD_MOVES", 100)
    with pytest.raises(InvalidRecord, match="move 101: expected a number of moves from 1 to 100"):
        parse(text)


def test_the_cap_on_undos(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = '"\u00c3"'
    monkeypatch.setattr(turns, "MAX_UNDOS", 100)
    assert parse_any_record(V4C + pairs * 100).undos == 100
    with pytest.raises(InvalidRecord, match="expected a number of undos from 0 to 100, got 101"):
        parse_any_record(V4C + pairs * 101)
