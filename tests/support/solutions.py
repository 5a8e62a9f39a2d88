"""Solutions of the six exercises of `docs/learn/exercises.md`."""

from collections import defaultdict
from collections.abc import Callable
from statistics import mean, stdev

from twofold import Board, Game, Move, Rules

Cells = tuple[int, ...]
NEIGHBOURS = [(cell, cell + 1) for cell in range(16) if cell % 4 < 3]
NEIGHBOURS += [(cell, cell + 4) for cell in range(12)]


def slide_row(row: list[int]) -> tuple[list[int], int]:
    found = [tile for tile in row if tile]
    slid, reward = [], 0
    while found:
        tile = found.pop(0)
        if found and found[0] == tile:
            tile += found.pop(0)
            reward += tile
        slid.append(tile)
    return slid + [0] * (len(row) - len(slid)), reward


def spawns(cells: Cells) -> dict[Cells, float]:
    empty = [cell for cell, tile in enumerate(cells) if tile == 0]
    return {
        (*cells[:cell], tile, *cells[cell + 1 :]): chance / len(empty)
        for cell in empty
        for tile, chance in ((2, 0.9), (4, 0.1))
    }


def value(board: Board) -> float:
    steps = [abs(board.exponents[a] - board.exponents[b]) for a, b in NEIGHBOURS]
    return 50.0 * len(board.empty_cells) - 20.0 * sum(steps)


def search(board: Board, ply: int) -> float:
    slides = [board.slide(move) for move in board.legal_moves()]
    return max((slide.reward + after_value(slide.board, ply - 1) for slide in slides), default=0.0)


def after_value(after: Board, ply: int) -> float:
    if ply == 0:
        return 10.0 * len(after.empty_cells)
    return sum(
        spawn.probability * search(after.place(spawn.cell, spawn.tile), ply)
        for spawn in after.spawns()
    )


def learn(games: int) -> Callable[[Board], Move]:
    rules, alpha = Rules.parse("2x2"), 0.1
    values: defaultdict[Board, float] = defaultdict(lambda: 80.0)

    def best(board: Board) -> tuple[float, Move, int, Board]:
        slides = [(move, board.slide(move)) for move in board.legal_moves()]
        forms = [(move, slide.reward, slide.board.canonical()) for move, slide in slides]
        found = [(reward + values[form], move, reward, form) for move, reward, form in forms]
        return max(found, key=lambda one: one[0])

    for seed in range(1, games + 1):
        game, last = Game(rules, seed=seed), None
        while game.legal_moves():
            target, move, _, form = best(game.board)
            if last is not None:
                values[last] += alpha * (target - values[last])
            game.play(move)
            last = form
        if last is not None:
            values[last] += alpha * (0 - values[last])
    return lambda board: best(board)[1]


def interval(scores: list[float]) -> tuple[float, float]:
    from scipy.special import stdtrit  # the other exercises do without

    half = float(stdtrit(len(scores) - 1, 0.975)) * stdev(scores) / len(scores) ** 0.5
    return mean(scores) - half, mean(scores) + half
