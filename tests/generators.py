"""Values made from a seeded `random.Random`: the same seed gives the same values."""

import random
import string
from collections.abc import Callable

from twofold.board import Board
from twofold.game import Game
from twofold.record import Record
from twofold.rules import Rules
from twofold.search.budget import Budget

SHAPES = [(rows, cols) for rows in range(1, 9) for cols in range(1, 9) if rows * cols > 1]
NASTY = (
    "\x00\x07\x1b\n\r\t\"\\/{}[]<>&@:;,'`$%=~"
    "\x7f\x85\u200b\u202e\u2028\ufeff\U0001f600\U000e0001é漢"
)


def make_text(rng: random.Random, most: int = 20) -> str:
    """Any text, half of it awkward."""
    letters = string.ascii_letters + " " + NASTY
    return "".join(rng.choices(letters, k=rng.randint(0, most)))


def make_rules(rng: random.Random, most_side: int = 8) -> Rules:
    rows, cols = rng.choice([shape for shape in SHAPES if max(shape) <= most_side])
    tiles = rng.sample([2, 4, 8, 16, 32, 2**35], k=rng.choice([1, 2, 2, 2, 3]))
    weigh: Callable[[], float] = rng.choice(
        [rng.random, lambda: rng.randint(1, 9), lambda: 10.0 ** rng.randint(-8, 8)]
    )
    return Rules(
        rows,
        cols,
        tuple((tile, max(float(weigh()), 1e-9)) for tile in tiles),
        rng.randint(1, min(rows * cols, 4)),
        1 << rng.randint(2, 35),
        rng.random() < 0.3,
    )


def make_board(
    rng: random.Random, shape: tuple[int, int] | None = None, largest: int = 35
) -> Board:
    """A board of any fill, its exponents from a narrow or a wide range."""
    rows, cols = shape or rng.choice(SHAPES)
    top = rng.randint(1, largest)
    low = rng.randint(1, top)
    empty = rng.choice([0.0, 0.1, 0.5, 0.9])
    cells = [0 if rng.random() < empty else rng.randint(low, top) for _ in range(rows * cols)]
    return Board(cells, (rows, cols))


def make_game(rng: random.Random, most_moves: int = 40, most_side: int = 8) -> Game:
    """A game of random moves: some begin on a board, some are given tiles, some are undone."""
    rules = make_rules(rng, most_side)
    if 2**35 in dict(rules.spawn):  # two of them may meet, and nothing is larger
        rules = Rules(rules.rows, rules.cols, goal=rules.goal, stop_at_goal=rules.stop_at_goal)
    seed = rng.choice([0, 1, 2**64 - 1, rng.getrandbits(64)])
    if rng.random() < 0.3:
        game = Game.from_board(
            make_board(rng, rules.shape, largest=20),
            rules,
            seed,
            score=rng.choice([0, rng.randrange(10**6)]),
            move_number=rng.choice([0, rng.randrange(10**4)]),
        )
    else:
        game = Game(rules, seed)
    giving = rng.choice([0.0, 0.0, 0.1, 1.0])
    for _ in range(rng.randint(0, most_moves)):
        play_randomly(rng, game, giving)
        if game.can_undo and rng.random() < 0.05:
            game.undo()
    return game


def play_randomly(rng: random.Random, game: Game, giving: float = 0.0) -> None:
    """Make a random move, if there is one; its tile is given with the chance `giving`."""
    legal = game.legal_moves()
    if not legal:
        return
    move = rng.choice(legal)
    spawn = None
    if rng.random() < giving:
        empty = game.board.slide(move).board.empty_cells
        spawn = (rng.choice(empty), rng.choice(game.rules.spawn)[0])
    game.play(move, spawn=spawn)


def make_record(rng: random.Random, most_moves: int = 40) -> Record:
    game = make_game(rng, most_moves)
    numbers = range(game.start_move_number, game.move_number + 1)
    return Record.from_game(
        game,
        player=make_text(rng),
        date=rng.choice(["", "2048-01-31", make_text(rng)]),
        comments={rng.choice(numbers): make_text(rng) for _ in range(rng.choice([0, 0, 1, 3]))},
        tags={
            f"{rng.choice(string.ascii_letters)}_{number}": make_text(rng)
            for number in range(rng.choice([0, 0, 1, 3]))
        },
    )


def make_spec(rng: random.Random) -> tuple[str, dict[str, str]]:
    """The name and the values of a player spec."""
    names = ["random", "expectimax", "my-player_2", "path/to/file.py:Name", "package.module:Name"]
    keys = rng.sample(["ply", "eval", "depth", "cmd", "net", "k_9"], k=rng.randint(0, 4))
    return rng.choice(names), {key: make_text(rng) for key in keys}


def make_budget(rng: random.Random) -> Budget:
    return Budget(
        ply=rng.choice([None, rng.randint(1, 12)]),
        seconds=rng.choice([None, rng.uniform(1e-6, 86_400.0), float(rng.randint(1, 60))]),
        nodes=rng.choice([None, rng.randint(1, 10**15)]),
    )
