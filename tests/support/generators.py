"""Values made from a seeded `random.Random`: the same seed gives the same values."""

import random
import string
from collections.abc import Callable

from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Move, Rules
from twofold.players.engine.lines import (
    ALL_SHAPES,
    Answer,
    BestMove,
    Command,
    ErrorLine,
    Go,
    Identity,
    Info,
    NewGame,
    Option,
    SetOption,
    SetPosition,
    Shapes,
    Word,
)
from twofold.search.analysis import LineStep
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


def make_replay(rng: random.Random, most_moves: int = 40) -> Record:
    """A game that every format of replays holds: 4x4, from its first tiles on, 2s and 4s."""
    game = Game(seed=rng.getrandbits(64))
    for _ in range(rng.randint(0, most_moves)):
        play_randomly(rng, game, giving=0.2)
    return Record.from_game(game)


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


def make_words(rng: random.Random) -> str:
    """Printable text as a line can hold it."""
    return "".join(filter(str.isprintable, make_text(rng))).strip()


def make_command(rng: random.Random) -> Command:
    """Something that is said to an engine."""
    commands: list[Command] = [
        rng.choice([Word.HELLO, Word.READY, Word.STOP, Word.QUIT]),
        SetOption(rng.choice(["ply", "k_9", "a"]), make_words(rng)),
        NewGame(make_rules(rng), rng.getrandbits(64)),
        SetPosition(
            make_board(rng),
            rng.choice([None, rng.randrange(10**9)]),
            rng.choice([None, rng.randrange(10**6)]),
        ),
        Go(make_budget(rng), rng.random() < 0.5),
    ]
    return rng.choice(commands)


def make_answer(rng: random.Random) -> Answer:
    """Something that an engine says."""
    answers: list[Answer] = [
        rng.choice([Word.HELLO_OK, Word.READY_OK]),
        Identity(rng.choice(["name", "author"]), make_words(rng)),
        Option("motto", make_words(rng)),
        Shapes(tuple(sorted(rng.sample(ALL_SHAPES, k=rng.choice([1, 5, 63]))))),
        BestMove(rng.choice([None, *Move])),
        ErrorLine(make_words(rng)),
        make_info(rng),
    ]
    return rng.choice(answers)


def make_info(rng: random.Random) -> Info:
    values = {move: make_value(rng) for move in Move if rng.random() < 0.7}
    steps = [LineStep(rng.choice(list(Move)), rng.randrange(64), 1 << rng.randint(1, 35))]
    last = rng.choice(["line", "text", ""])
    return Info(
        rng.choice([None, rng.randint(0, 99)]),
        rng.choice([None, rng.randrange(10**12)]),
        rng.choice([None, 0.0, rng.random(), rng.uniform(0.0, 1e4)]),
        rng.choice(["", "points", "own unit"]),
        values,
        rng.choice([None, *Move]),
        (*steps, LineStep(rng.choice(list(Move)))) if last == "line" else (),
        make_words(rng) if last == "text" else "",
    )


def make_value(rng: random.Random) -> float:
    return rng.choice(
        [0.0, float("inf"), float("-inf"), rng.uniform(-1e6, 1e6), 10.0 ** rng.randint(-300, 300)]
    )
