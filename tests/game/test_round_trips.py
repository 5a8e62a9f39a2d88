"""parse(format(x)) = x, exactly, for every value that has a text."""

import random
from collections.abc import Callable

import pytest

from tests.support.generators import (
    make_answer,
    make_board,
    make_budget,
    make_command,
    make_game,
    make_record,
    make_replay,
    make_rules,
    make_spec,
)
from twofold.game.board import Board
from twofold.game.foreign.boards import format_hex
from twofold.game.formats import format_game, parse_any_record, parse_position
from twofold.game.notation import format_spec, parse_seed, parse_spec
from twofold.game.record import Record, format_line, format_record, parse_line, parse_record
from twofold.game.rules import Move, Rules
from twofold.players.engine.lines import format_line as format_message
from twofold.players.engine.lines import parse_answer, parse_command
from twofold.search.budget import Budget

COUNTS = [pytest.param(500, id="ci"), pytest.param(100_000, id="long", marks=pytest.mark.long)]


def check_board(rng: random.Random) -> None:
    board = make_board(rng)
    for text in (str(board), str(board).upper().replace("X", "x"), str(board).replace("/", "")):
        assert Board.parse(text) == board
    tiles = " / ".join(" ".join(map(str, row)) for row in board.tiles)
    if board.cols > 1:  # in one column nothing tells tiles from exponents
        assert Board.parse(f"{board.rows}x{board.cols}: {tiles}") == board
        assert Board.parse(f"{board.rows}x{board.cols}:{board.drawn()}") == board
    assert Board.from_tiles(board.tiles) == board
    if max(board.shape) <= 4 and board.max_exponent <= 15:
        assert Board.from_bits(board.to_bits(), board.shape) == board
    full = make_board(rng, (4, 4), largest=15)
    for low_first, name in ((False, "hex"), (True, "hex-low")):
        assert parse_position(format_hex(full, low_first=low_first), name) == (full, None)


def check_move(rng: random.Random) -> None:
    move = rng.choice(list(Move))
    text = rng.choice([move.letter, move.name, move.name.lower(), move.letter.upper()])
    assert Move.parse(rng.choice([text, f" {text}\n"])) is move


def check_rules(rng: random.Random) -> None:
    rules = make_rules(rng)
    assert Rules.parse(str(rules)) == rules
    parts = str(rules).split()
    rng.shuffle(parts)
    assert Rules.parse("  ".join(parts)) == rules


def check_spec(rng: random.Random) -> None:
    name, values = make_spec(rng)
    assert parse_spec(format_spec(name, values)) == (name, values)


def check_budget(rng: random.Random) -> None:
    budget = make_budget(rng)
    if str(budget):
        assert Budget.parse(str(budget)) == budget


def check_seed(rng: random.Random) -> None:
    seed = rng.getrandbits(rng.randint(1, 64))
    assert parse_seed(str(seed)) == parse_seed(hex(seed)) == seed


def check_record(rng: random.Random) -> None:
    record = make_record(rng, most_moves=8)
    text = format_record(record)
    read = parse_record(text)
    assert read == record
    assert format_record(read) == text


def check_record_line(rng: random.Random) -> None:
    record = make_record(rng, most_moves=8)
    text = format_line(record)
    assert "\n" not in text
    assert parse_line(text) == record
    assert format_line(parse_line(text.encode())) == text


def check_engine_line(rng: random.Random) -> None:
    command, answer = make_command(rng), make_answer(rng)
    assert parse_command(format_message(command)) == command
    assert parse_answer(format_message(answer)) == answer
    assert parse_answer(f"  {format_message(answer)} ".replace(" ", "  ", 2)) == answer


def check_replay(rng: random.Random) -> None:
    """A game, its record, the game played again, and the record of that."""
    game = make_game(rng, most_moves=8)
    record = Record.from_game(game)
    again = record.replay()
    assert (again.board, again.score, again.moves) == (game.board, game.score, game.moves)
    assert [step[:5] for step in again.steps] == [step[:5] for step in game.steps]
    assert (again.undos, again.move_number) == (game.undos, game.move_number)
    assert Record.from_game(again) == record


def check_game_of_another_program(rng: random.Random) -> None:
    """A game, its replay, the record of that, and the same replay again."""
    record = make_replay(rng, most_moves=4)
    name = rng.choice(["verse", "moporgic"])
    text = format_game(record, name)
    read = parse_any_record(text)
    assert (read.moves, read.final, read.score) == (record.moves, record.final, record.score)
    assert format_game(read, name) == text


@pytest.mark.promise("R21")
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    "check",
    [
        check_board,
        check_move,
        check_rules,
        check_spec,
        check_budget,
        check_seed,
        check_record,
        check_record_line,
        check_engine_line,
        check_replay,
        check_game_of_another_program,
    ],
)
def test_round_trips(
    check: Callable[[random.Random], None], count: int, figure: Callable[[str], None]
) -> None:
    for number in range(count):
        rng = random.Random(number)
        try:
            check(rng)
        except Exception as error:
            error.add_note(f"in round trip {number}")
            raise
    figure(f"{count:,} values a type, 0 differences")
