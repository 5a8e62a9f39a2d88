"""The rules of 2048, written as plainly as possible: the specification.

A board is a flat list of exponents, row by row: 0 is an empty cell, 1 the tile 2, 2 the tile
4, and so on. Nothing here is fast; tests compare every fast version with it, and no fast version
imports it.

    >>> slide_row([1, 1, 1, 1])
    ([2, 2, 0, 0], 8)
    >>> slide([1, 0, 0, 1], rows=2, cols=2, move=LEFT)
    ([1, 0, 1, 0], 0)
"""

from collections.abc import Sequence
from typing import Final

from twofold.errors import TileTooLarge
from twofold.limits import MAX_EXPONENT, TOO_LARGE_MERGE

UP: Final = 0
RIGHT: Final = 1
DOWN: Final = 2
LEFT: Final = 3
MOVES: Final = (UP, RIGHT, DOWN, LEFT)


def slide_row(row: Sequence[int]) -> tuple[list[int], int]:
    """Slide one row to the left; returns it and the reward, the sum of the tiles made.

    Tiles move over empty cells; two equal neighbours merge into one tile of the next
    exponent, the leftmost pair first; a tile made by a merge does not merge again. Raises
    `TileTooLarge` if a merge would make an exponent past `MAX_EXPONENT`.
    """
    tiles = [exponent for exponent in row if exponent != 0]
    result: list[int] = []
    reward = 0
    while tiles:
        exponent = tiles.pop(0)
        if tiles and tiles[0] == exponent:
            tiles.pop(0)
            exponent += 1
            if exponent > MAX_EXPONENT:
                raise TileTooLarge(TOO_LARGE_MERGE)
            reward += 2**exponent
        result.append(exponent)
    return result + [0] * (len(row) - len(result)), reward


def lines(rows: int, cols: int, move: int) -> list[list[int]]:
    """The cells of each row or column, listed from the side that the move slides towards."""
    if move == LEFT:
        return [[r * cols + c for c in range(cols)] for r in range(rows)]
    if move == RIGHT:
        return [[r * cols + c for c in reversed(range(cols))] for r in range(rows)]
    if move == UP:
        return [[r * cols + c for r in range(rows)] for c in range(cols)]
    return [[r * cols + c for r in reversed(range(rows))] for c in range(cols)]


def slide(cells: Sequence[int], rows: int, cols: int, move: int) -> tuple[list[int], int]:
    """The afterstate of the whole board, equal if the move is illegal, and the reward in points."""
    after = list(cells)
    reward = 0
    for line in lines(rows, cols, move):
        slid, points = slide_row([cells[cell] for cell in line])
        reward += points
        for cell, exponent in zip(line, slid, strict=True):
            after[cell] = exponent
    return after, reward


def is_legal(cells: Sequence[int], rows: int, cols: int, move: int) -> bool:
    """Whether the move changes the board."""
    return slide(cells, rows, cols, move)[0] != list(cells)


def legal_moves(cells: Sequence[int], rows: int, cols: int) -> list[int]:
    """The moves that change the board, in the order up, right, down, left."""
    return [move for move in MOVES if is_legal(cells, rows, cols, move)]


def is_over(cells: Sequence[int], rows: int, cols: int) -> bool:
    """Whether no move is legal. A full board with two equal neighbours is not over."""
    return not legal_moves(cells, rows, cols)


def empty_cells(cells: Sequence[int]) -> list[int]:
    """The numbers of the empty cells, row-major."""
    return [cell for cell, exponent in enumerate(cells) if exponent == 0]


def mix(z: int) -> int:
    """The finaliser of splitmix64, modulo 2**64.

    Source: Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators".
    """
    z &= 2**64 - 1
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
    return z ^ (z >> 31)


def dice(seed: int, spawn_number: int) -> int:
    """The 64 random bits of one spawn: a function of the seed and the spawn number alone."""
    return mix(seed + (spawn_number + 1) * 0x9E3779B97F4A7C15)


def player_dice(seed: int, draw_number: int) -> int:
    """The 64 random bits of a player's own draw, independent of the spawns."""
    return mix(mix(seed ^ 0x74776F666F6C6431) + (draw_number + 1) * 0x9E3779B97F4A7C15)


def thresholds(weights: Sequence[float]) -> list[int]:
    """`floor(cumulative weight * 2**32 + 0.5)` of every spawn tile but the last, ascending."""
    total = sum(weights)
    cumulative = 0.0
    result = []
    for weight in weights[:-1]:
        cumulative += weight / total
        result.append(int(cumulative * 2**32 + 0.5))
    return result


def spawn(
    cells: Sequence[int], random_bits: int, exponents: Sequence[int], weights: Sequence[float]
) -> tuple[int, int]:
    """The (cell, exponent) of a spawn on an afterstate that has an empty cell.

    The high half of `random_bits`, from `dice`, picks the cell, the low half the tile. `exponents`
    are those of the spawn tiles, ascending; `weights` are positive.
    """
    empty = empty_cells(cells)
    high, low = random_bits >> 32, random_bits % 2**32
    cell = empty[(high * len(empty)) >> 32]
    for exponent, threshold in zip(exponents, thresholds(weights), strict=False):
        if low < threshold:
            return cell, exponent
    return cell, exponents[-1]


def downgrade(cells: Sequence[int], largest: int) -> list[int]:
    """Tile-downgrading: the board with every exponent at most `largest`, if that is possible.

    While a tile is past `largest` and some smaller exponent is absent from the board, every
    tile above the largest absent exponent is halved. Which moves are legal does not change.

    Source: Guei, Chen and Wu 2021, "Optimistic temporal difference learning for 2048".
    """
    result = list(cells)
    while max(result) > largest:
        holes = [exponent for exponent in range(1, max(result)) if exponent not in result]
        if not holes:
            return result
        result = [exponent - 1 if exponent > holes[-1] else exponent for exponent in result]
    return result
