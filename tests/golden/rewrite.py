"""The golden games: what they are, and the command that writes them anew.

    python -m tests.golden.rewrite

A change of any of these files is a change of behaviour, so it is made on purpose only.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from twofold.game import reference
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record, format_record
from twofold.game.rules import Rules
from twofold.players.base import Player
from twofold.players.compiled import CornerPlayer, GreedyPlayer, RandomPlayer

FOLDER = Path(__file__).parent
PLAYERS: dict[str, type[Player]] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
    "corner": CornerPlayer,
}


class Golden(NamedTuple):
    """One game: who plays, under which rules, from which seed or board."""

    player: str
    rules: str
    seed: int
    board: str = ""
    spawns: str = ""  # "worst": each tile is given, in the first empty cell
    undo_every: int = 0
    most_moves: int = 10_000


GAMES = [
    # the original game
    *(Golden("random", "4x4", seed) for seed in range(3)),
    *(Golden("greedy", "4x4", seed) for seed in range(4)),
    *(Golden("corner", "4x4", seed) for seed in range(4)),
    Golden("corner", "4x4", 2**64 - 1),
    Golden("random", "4x4", 2**63),
    # other shapes
    Golden("random", "1x2 start=1", 1),
    Golden("random", "2x1 start=1", 2),
    Golden("greedy", "1x8", 3),
    Golden("corner", "8x1", 4),
    Golden("greedy", "2x2", 5),
    Golden("corner", "2x3", 6),
    Golden("random", "3x2", 7),
    Golden("greedy", "3x3", 8),
    Golden("corner", "3x4", 9),
    Golden("random", "4x3", 10),
    Golden("greedy", "2x8", 11),
    Golden("corner", "5x3", 12),
    # long games
    Golden("random", "5x5", 13),
    Golden("greedy", "5x5", 14),
    Golden("corner", "5x5", 15),
    Golden("random", "6x6", 16, most_moves=3_000),
    Golden("corner", "8x8", 17, most_moves=3_000),
    # spawn distributions and start tiles
    Golden("greedy", "4x4 spawn=2:1", 18),
    Golden("greedy", "4x4 spawn=4:1 goal=4096", 19),
    Golden("corner", "4x4 spawn=2:1,4:1", 20),
    Golden("corner", "4x4 spawn=2:6,4:3,8:1", 21),
    Golden("random", "3x3 spawn=2:0.5,1024:0.5 start=9", 22),
    Golden("random", "4x4 start=16", 23),
    Golden("greedy", "4x4 start=1", 24),
    Golden("corner", "4x4 spawn=2:1e-9,4:1e9", 25),
    # goals, and games that stop there
    Golden("corner", "4x4 goal=64", 26),
    Golden("corner", "4x4 goal=64 stop=goal", 27),
    Golden("greedy", "4x4 goal=256 stop=goal", 28),
    Golden("random", "3x3 goal=4 stop=goal", 29),
    Golden("greedy", "5x5 goal=512 stop=goal", 30),
    # from a board, with given tiles, with undone moves
    Golden("corner", "4x4", 31, board="0012/0013/0024/1357"),
    Golden("greedy", "4x4", 32, board="fedc/89ab/7654/0123"),
    Golden("random", "4x4", 33, board="ffff/ffff/ffff/ffff", most_moves=300),
    Golden("greedy", "2x3 goal=8", 34, board="2x3:110/000", spawns="worst"),
    Golden("corner", "4x4", 35, board="1000/0000/0000/0001", spawns="worst"),
    Golden("greedy", "4x4", 36, spawns="worst"),
    Golden("greedy", "4x4", 37, undo_every=10),
]


def play(golden: Golden) -> Game:
    rules = Rules.parse(golden.rules)
    if golden.board:
        board = Board.parse(golden.board)
        game = Game.from_board(board, rules, golden.seed, score=1_000, move_number=200)
    else:
        game = Game(rules, golden.seed)
    player = PLAYERS[golden.player]()
    player.start(rules, golden.seed)
    while not game.is_finished and game.move_number < golden.most_moves:
        move = player.choose(game.board, score=game.score, move_number=game.move_number)
        spawn = None
        if golden.spawns:
            spawn = (game.board.slide(move).board.empty_cells[0], rules.spawn[0][0])
        game.play(move, spawn=spawn)
        if golden.undo_every and reference.mix(game.move_number) % golden.undo_every == 0:
            game.undo()
            game.play(game.legal_moves()[0])
    return game


def make_texts() -> Iterator[tuple[str, str]]:
    """The name of each golden file, and its text."""
    for number, golden in enumerate(GAMES, 1):
        game = play(golden)
        shape = golden.rules.split()[0]
        comments = {game.move_number: "the end"} if golden.board else {}
        tags = {"Event": f"golden game {number}"} if golden.spawns else {}
        record = Record.from_game(game, player=golden.player, comments=comments, tags=tags)
        yield f"{number:02}-{golden.player}-{shape}.txt", format_record(record)


def rewrite() -> None:
    for path in FOLDER.glob("*.txt"):
        path.unlink()
    for name, text in make_texts():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    rewrite()
    print(f"{len(GAMES)} golden games written")
