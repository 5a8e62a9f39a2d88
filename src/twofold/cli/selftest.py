"""`twofold selftest`: is this installation right? Some promises in seconds, and the signature.

The signature is one integer that stands for behaviour: games, searches and learning from fixed
boards and seeds. It is the same on every machine and changes only with behaviour.
"""

from collections.abc import Callable, Iterable
from typing import Final, Literal

import msgspec
import typer

from twofold.cli._options import JsonOption
from twofold.cli._output import print_out, waiting, write_json
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Move, Rules
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.players import GameResult, make_player, play_game
from twofold.players.base import Player
from twofold.version import SIGNATURE

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


def signature(games: int | None = None) -> int:
    """The signature of this installation; `games` is its part from games, if that is known."""
    games = games_digest() if games is None else games
    return digest([games, searches_digest(), learning_digest()])


def run_selftest() -> SelfTestDocument:
    """Check games, records and the signature; takes a few seconds.

    The signature holds rules, dice, searches and learning: any difference in them changes it.
    """
    games = games_digest()
    found = signature(games)
    is_right = games == games_digest(play_by_reference)
    count, detail = sum(number for _, _, number in GAMES), "equal" if is_right else "differ"
    said = f"{count} games by kernels and by the reference are {detail}"
    checks = [SelfCheck("games", is_right, said)]

    game = Game(Rules.parse("3x3"), seed=7)
    while not game.is_finished:
        game.play(game.legal_moves()[0])
    record = Record.from_game(game, player="first")
    is_right = Record.parse(str(record)) == record and record.replay().board == game.board
    said = f"a game of {game.move_number} moves reads back and replays"
    checks.append(SelfCheck("records", is_right, said))

    is_right = found == SIGNATURE
    detail = "that of this version" if is_right else f"expected {SIGNATURE}, that of this version"
    said = f"of games, searches and learning: {detail}"
    checks.append(SelfCheck("signature", is_right, said))
    return SelfTestDocument(str(found), all(check.passed for check in checks), tuple(checks))


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
