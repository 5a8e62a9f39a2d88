"""A board turned to one of its symmetric forms, the same for all of them.

A turn is a number: bit 2 exchanges rows and columns, then bit 1 top and bottom, bit 0 left and
right. Square boards have eight turns, others the first four. The form is the last one in the order
of the cells, row by row, so that large tiles come first.
"""

from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import U8_POINTER, pointer


@kernel(types.int64(types.int64, types.int64, types.int64, types.int64, types.int64))
def source(row, col, turn, rows, cols):
    """The number of the cell that comes to (row, col) by a turn."""
    if turn & 1:
        col = cols - 1 - col
    if turn & 2:
        row = rows - 1 - row
    return col * cols + row if turn & 4 else row * cols + col


@kernel(types.boolean(U8_POINTER, types.int64, types.int64, types.int64, types.int64))
def is_later(cells, turn, other, rows, cols):
    """Whether a board by `turn` comes after the board by `other`."""
    for row in range(rows):
        for col in range(cols):
            here = cells[source(row, col, turn, rows, cols)]
            there = cells[source(row, col, other, rows, cols)]
            if here != there:
                return here > there
    return False


@kernel(types.int64(U8_POINTER, types.int64, types.int64, U8_POINTER))
def turn_cells(cells, rows, cols, out):
    """Fill `out` with the form of a board; returns its turn."""
    best = 0
    for turn in range(1, 8 if rows == cols else 4):
        if is_later(cells, turn, best, rows, cols):
            best = turn
    for row in range(rows):
        for col in range(cols):
            out[row * cols + col] = cells[source(row, col, best, rows, cols)]
    return best


@kernel(types.int64(types.int64, types.int64))
def turned_move(move, turn):
    """The move on the turned board that a move on the board becomes."""
    if turn & 4:
        move = 3 - move
    return move ^ 2 if turn & (1 if move & 1 else 2) else move


@kernel(types.int64(types.int64, types.int64))
def move_back(move, turn):
    """The move on the board that a move on the turned board stands for."""
    if turn & (1 if move & 1 else 2):
        move ^= 2
    return 3 - move if turn & 4 else move


@kernel(
    types.void(
        types.uint8[:, :, ::1],
        types.int8[:, ::1],
        types.uint8[:, :, ::1],
        types.int8[:, ::1],
        types.int64[::1],
    )
)
def turn_each(boards, legal, turned, turned_legal, turns):
    """Fill in the forms of boards (N, rows, cols), their legal moves (N, 4), and their turns."""
    count, rows, cols = boards.shape
    for number in range(count):
        turn = turn_cells(pointer(boards[number]), rows, cols, pointer(turned[number]))
        turns[number] = turn
        for move in range(4):
            turned_legal[number, turned_move(move, turn)] = legal[number, move]


@kernel(types.void(types.int64[::1], types.int64[::1], types.int64[::1]))
def moves_back(moves, turns, out):
    """Fill in the moves on the boards that moves on the turned boards stand for."""
    for number in range(len(moves)):
        out[number] = move_back(moves[number], turns[number])
