"""`twofold selftest`: is this installation right? Some promises in seconds, and the signature.

Checks an installation: some of the promises, in seconds, and the signature.

The signature is one integer that stands for behaviour: games, searches and learning from fixed
boards and seeds. It is the same on every machine and changes only with behaviour.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal

import msgspec
import numpy as np
import typer

from twofold.cli._options import JsonOption
from twofold.cli._output import print_out, waiting, write_json
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Move, Rules
from twofold.kernels.bits import row_table
from twofold.kernels.play import dice
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.players import GameResult, make_player, play_game
from twofold.players.base import Player

GAMES: Final = (
    ("random", "4x4", 40),
    ("greedy", "4x4", 10),
    ("corner", "4x4 spawn=2:0.5,4:0.25,8:0.25 start=3", 10),
    ("random", "2x3", 40),
    ("random", "3x4 goal=64 stop=goal", 20),
    ("greedy", "5x5", 2),
    ("corner", "8x2", 10),
)
"""Games in the signature: player, rules, number of seeds from 1."""

SEARCHES: Final = (
    "expectimax:eval=rows,ply=2",
    "expectimax:eval=snake,ply=3",
    "expectimax:eval=smooth,nodes=20000",
    "nneonneo:ply=5,cut=0.001",
    "alphabeta:eval=clustering,depth=4",
    "minimax:eval=baeldung,depth=3",
    "baeldung",
    "datumbox:depth=5",
    "it3105-snake:layers=literal",
    "it3105-gradient:layers=alternating",
)
"""Players whose moves are in the signature."""

BOARDS: Final = (
    "1000/0010/0000/0000",
    "0012/0124/0011/0235",
    "1234/2345/3456/4560",
    "0001/0023/1257/2589",
    "1213/3524/1763/2844",
    "b987/3456/2101/0010",
    "1012/2343/5867/fedc",
)
"""Boards on which the searches choose moves."""


class SelfCheck(msgspec.Struct, frozen=True):
    """A check.

    Attributes:
        name: its name.
        passed: true if it passed.
        detail: what was found.
    """

    name: str
    passed: bool
    detail: str


class SelfTestDocument(msgspec.Struct, frozen=True):
    """Whether this installation is right.

    Attributes:
        signature: the signature of its behaviour, 64 bits in decimal.
        passed: true if all checks passed.
        checks: the checks.
    """

    signature: str
    passed: bool
    checks: tuple[SelfCheck, ...]


GameLoop = Callable[[Player, Rules, int], GameResult]


def play_in_kernels(player: Player, rules: Rules, seed: int) -> GameResult:
    """Play a game in kernels, if the player has them."""
    result = play_game(player, rules, seed, keep_moves=True)
    assert result is not None
    return result


def play_by_reference(player: Player, rules: Rules, seed: int) -> GameResult:
    """Play the same game by the reference rules, move by move."""
    player.start(rules, seed)
    game = Game(rules, seed=seed)
    reached = [0] * (game.board.max_exponent + 1)
    while not game.is_finished:
        move = player.choose(game.board, score=game.score, move_number=game.move_number)
        game.play(move)
        while len(reached) <= game.board.max_exponent:
            reached.append(game.move_number)
    letters, board = "".join(move.letter for move in game.moves), game.board
    return GameResult(
        seed, game.score, game.move_number, board.max_tile, tuple(reached), board, 0.0, letters
    )


def digest(numbers: Iterable[int]) -> int:
    """A 64-bit hash of numbers in their order."""
    total = 0
    for number in numbers:
        total = reference.mix((total ^ number) + 0x9E3779B97F4A7C15)
    return total


def games_digest(play: GameLoop = play_in_kernels) -> int:
    """The part of the signature from games."""
    numbers: list[int] = []
    for spec, rules_text, count in GAMES:
        rules = Rules.parse(rules_text)
        with make_player(spec) as player:
            for seed in range(1, count + 1):
                result = play(player, rules, seed)
                numbers += [result.score, result.moves, *result.reached, *result.board.exponents]
                numbers += map(ord, result.letters)
    return digest(numbers)


def choose(spec: str, board: Board) -> Move:
    """The move of a player."""
    with make_player(spec) as player:
        return player.choose(board)


def searches_digest(choose: Callable[[str, Board], Move] = choose) -> int:
    """The part of the signature from searches: the moves they choose."""
    return digest(choose(spec, Board.parse(board)) for spec in SEARCHES for board in BOARDS)


LEARNING: Final[tuple[tuple[str, str, Literal["forward", "backward"], tuple[int, ...]], ...]] = (
    ("0123 0145", "3x4", "forward", (64,)),
    ("012 345", "3x3", "backward", ()),
)
"""Networks trained for the signature: patterns, rules, order, stages."""


def learning_digest() -> int:
    """The part of the signature from learning: the final weights."""
    numbers: list[int] = []
    for patterns, rules, order, stages in LEARNING:
        settings = TrainingSettings(
            patterns=patterns, rules=Rules.parse(rules), order=order, stages=stages
        )
        training = Training(settings, games=150)
        training.run()
        weights = training.network.weights.view("uint32").ravel()
        places = weights.nonzero()[0]
        numbers += [training.moves, *places[::7].tolist(), *weights[places[::7]].tolist()]
    return digest(numbers)


def signature() -> int:
    """The signature of this installation."""
    return digest([games_digest(), searches_digest(), learning_digest()])


def run_selftest() -> SelfTestDocument:
    """Check rules, dice, games, records, searches and learning; takes a few seconds."""
    checks = (_rows(), _paths(), *_played())
    return SelfTestDocument(str(signature()), all(check.passed for check in checks), checks)


def _rows() -> SelfCheck:
    """Promise R1 for width 4."""
    table = row_table(4).tolist()
    wrong = 0
    for index, entry in enumerate(table):
        row = [(index >> shift) & 15 for shift in (12, 8, 4, 0)]
        left, reward = reference.slide_row(row)
        right = reference.slide_row(row[::-1])[0][::-1]
        wrong += entry & 0xFFFF != _packed(left) or (entry >> 16) & 0xFFFF != _packed(right)
        wrong += ((entry >> 32) & 0xFFFFFFF) << 2 != reward
    return SelfCheck("row tables", wrong == 0, f"65,536 rows, {wrong} differ from the rules")


def _packed(row: list[int]) -> int:
    a, b, c, d = (min(exponent, 15) for exponent in row)
    return a << 12 | b << 8 | c << 4 | d


def _paths() -> SelfCheck:
    """Promise R4 for one board."""

    def states(board: Board) -> list[Board]:
        afters = [board.slide(move).board for move in board.legal_moves()]
        return [after.place(spawn.cell, spawn.tile) for after in afters for spawn in after.spawns()]

    first = states(Board.parse("1000/0000/0000/0001"))
    second = sum(len(states(state)) for state in first)
    is_right = (len(first), second) == (112, 11_536)
    return SelfCheck("paths", is_right, f"{len(first)} and {second:,} of depth 1 and 2")


def _played() -> Iterator[SelfCheck]:
    """Dice, games, records, searches and learning: promises R2 over whole games, R21 for one."""
    found = [reference.dice(1234567, 0), int(dice(np.uint64(1234567), np.uint64(0)))]
    is_right = found == [0x599ED017FB08FC85] * 2
    yield SelfCheck("dice", is_right, f"seed 1234567 gives {found[1]:016x}")

    is_right = games_digest() == games_digest(play_by_reference)
    count, detail = sum(number for _, _, number in GAMES), "equal" if is_right else "differ"
    said = f"{count} games by kernels and by the reference are {detail}"
    yield SelfCheck("games", is_right, said)

    game = Game(Rules.parse("3x3"), seed=7)
    while not game.is_finished:
        game.play(game.legal_moves()[0])
    record = Record.from_game(game, player="first")
    is_right = Record.parse(str(record)) == record and record.replay().board == game.board
    said = f"a game of {game.move_number} moves reads back and replays"
    yield SelfCheck("records", is_right, said)

    boards = [Board.parse(board) for board in BOARDS]
    is_right = all(
        choose(spec, board) in board.legal_moves() for spec in SEARCHES for board in boards
    )
    yield SelfCheck("searches", is_right, f"{len(SEARCHES)} players on {len(boards)} boards")

    settings = TrainingSettings(patterns="0123 0145", rules=Rules.parse("3x4"))
    training = Training(settings, games=2000)
    training.run()
    first, last = (point.mean for point in training.curve.points)
    said = f"mean score {first:,.0f} in the first thousand games, {last:,.0f} in the second"
    yield SelfCheck("learning", last > first, said)


EXAMPLE = "  twofold selftest"


def command(json: JsonOption = False) -> None:
    """Check this installation and print its signature."""
    with waiting("checking ..."):
        result = run_selftest()
    if json:
        write_json("selftest", result)
    else:
        for check in result.checks:
            verdict = "ok    " if check.passed else "FAILED"
            print_out(f"{verdict}  {check.name}: {check.detail}")
        print_out(f"signature {result.signature}")
    if not result.passed:
        raise typer.Exit(1)
