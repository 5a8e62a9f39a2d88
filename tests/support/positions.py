"""Test boards: a fixed mix of games in progress, nearly full boards and large tiles."""

from collections.abc import Callable, Iterator
from itertools import count as counter
from random import Random

from tests.support.literal import Grid, Position, empty_cells, legal, place, position

SIDE = 4
LARGEST_SUM = 65536 - 64  # no line of play from here can make a tile of 65536


def score_of(grid: Grid) -> int:
    """Return the score as if every spawn had been a 2: a tile 2^k counts (k - 1) 2^k."""
    return sum((tile.bit_length() - 2) * tile for row in grid for tile in row if tile)


def boards(
    count: int = 200, fewest_empty: int = 0, most_empty: int = 16, seed: int = 2048
) -> Iterator[list[list[int]]]:
    """Yield different 4x4 states, none of them dead, the same ones for the same arguments.

    In turn: from a random game, from a greedy game, a heap of ordered large tiles with small
    ones around it, and tiles at random. The sum of the tiles is below 65,472, so that no search
    meets a tile that 64 bits cannot hold.

    Args:
        count: how many boards.
        fewest_empty: empty cells, at least.
        most_empty: empty cells, at most.
        seed: start of the generator.
    """
    rng = Random(seed)
    makers = (_random_game, _greedy_game, _large_tiles, _scattered)
    seen: set[Position] = set()
    for turn in counter():
        if len(seen) == count:
            return
        board = makers[turn % len(makers)](rng, fewest_empty, most_empty)
        if board is not None and board not in seen and _is_fit(board, fewest_empty, most_empty):
            seen.add(board)
            yield [list(row) for row in board]


def _is_fit(board: Position, fewest: int, most: int) -> bool:
    in_range = fewest <= len(empty_cells(board)) <= most
    return in_range and sum(map(sum, board)) < LARGEST_SUM and bool(legal(board, "urdl"))


def _below(rng: Random, n: int) -> int:
    """Return a number from 0 to n - 1, from `random()` alone, whose law never changes."""
    return int(rng.random() * n)


def _spawn(board: Position, rng: Random) -> Position:
    cells = empty_cells(board)
    return place(board, cells[_below(rng, len(cells))], 2 if rng.random() < 0.9 else 4)


def _game(
    rng: Random, pick: Callable[[list[tuple[str, Position, int]]], Position]
) -> Iterator[Position]:
    """Play one game and yield its states."""
    empty: Position = position([[0] * SIDE] * SIDE)
    state = _spawn(_spawn(empty, rng), rng)
    while moves := legal(state, "urdl"):
        yield state
        state = _spawn(pick(moves), rng)


def _pick_state(rng: Random, states: Iterator[Position], fewest: int, most: int) -> Position | None:
    fit = [state for state in states if _is_fit(state, fewest, most)]
    return fit[_below(rng, len(fit))] if fit else None


def _random_game(rng: Random, fewest: int, most: int) -> Position | None:
    states = _game(rng, lambda moves: moves[_below(rng, len(moves))][1])
    return _pick_state(rng, states, fewest, most)


def _greedy_game(rng: Random, fewest: int, most: int) -> Position | None:
    """Pick from a game where the largest reward wins, of equal ones the move u, r, d, l."""
    states = _game(rng, lambda moves: max(moves, key=lambda played: played[2])[1])
    return _pick_state(rng, states, fewest, most)


def _large_tiles(rng: Random, fewest: int, most: int) -> Position:
    """Return a snake of falling tiles from a corner, small tiles behind it, turned at random."""
    wanted = fewest + _below(rng, most - fewest + 1)
    large = 2 + _below(rng, 7)
    exponent = 9 + _below(rng, 7)
    tiles: list[int] = []
    for _ in range(SIDE * SIDE - min(wanted, SIDE * SIDE - 2)):
        if len(tiles) < large and exponent > 3:
            tiles.append(2**exponent)
            exponent -= 1 if rng.random() < 0.8 else 2
        else:
            tiles.append(2 ** (1 + _below(rng, 4)))
    tiles += [0] * (SIDE * SIDE - len(tiles))
    rows = [tuple(tiles[SIDE * r : SIDE * r + SIDE]) for r in range(SIDE)]
    snake = tuple(row if r % 2 == 0 else row[::-1] for r, row in enumerate(rows))
    return _turned(snake, _below(rng, 8))


def _turned(board: Position, symmetry: int) -> Position:
    for _ in range(symmetry % 4):
        board = tuple(zip(*board[::-1], strict=True))
    return board[::-1] if symmetry >= 4 else board


def _scattered(rng: Random, fewest: int, most: int) -> Position:
    """Return tiles of any size up to 2048 in any cells: hard boards that no game would show."""
    wanted = fewest + _below(rng, most - fewest + 1)
    tiles = [2 ** (1 + min(_below(rng, 11), _below(rng, 11))) for _ in range(SIDE * SIDE)]
    for _ in range(min(wanted, SIDE * SIDE - 1)):
        filled = [i for i, tile in enumerate(tiles) if tile]
        tiles[filled[_below(rng, len(filled))]] = 0
    return position([tiles[SIDE * r : SIDE * r + SIDE] for r in range(SIDE)])
