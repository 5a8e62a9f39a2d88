"""Learns 2048 from its own games, by temporal differences on afterstates: one page, no library.

python examples/td_learning.py --games 4000 --seed 1

A board is 8 lines, its rows and columns. Its value is the sum of 8 weights, one per line: the
n-tuple network of the patterns 0123 (lines at the edge) and 4567 (lines inside), in all
symmetries. docs/tutorial-learning.md walks through it. Source: Szubert and Jaskowski 2014.
"""

import argparse
from collections import defaultdict
from contextlib import suppress
from functools import cache
from math import fsum
from operator import getitem
from random import Random
from statistics import fmean
from time import process_time

ALPHA = 0.4  # learning rate of the network, shared by the 8 weights of a board
EVERY = 250  # games per line of the learning curve

Line = tuple[int, ...]  # 4 exponents: 0 is empty, 1 the tile 2, 2 the tile 4 ...
Board = tuple[Line, ...]  # 4 rows from the top, then 4 columns from the left
Network = tuple[defaultdict[Line, float], ...]  # a weight table for each line of a board
Path = list[tuple[Board, int]]  # afterstates, each with the reward of the move, in points


def slide_left(line: Line) -> tuple[Line, int]:
    """The line after the slide, and the reward: (1, 1, 1, 1) -> (2, 2, 0, 0), 8 points."""
    tiles, slid, reward = [exponent for exponent in line if exponent], [], 0
    while tiles:
        exponent = tiles.pop(0)
        if tiles and tiles[0] == exponent:
            exponent = tiles.pop(0) + 1
            reward += 2**exponent
        slid.append(exponent)
    return (*slid, *[0] * (4 - len(slid))), reward


@cache
def slides(line: Line) -> tuple[Line, Line, int]:
    """The line slid to its start and to its end; the reward is the same."""
    right, reward = slide_left(line[::-1])
    return slide_left(line)[0], right[::-1], reward


def crossed(lines: Board) -> Board:
    """The columns of 4 rows, or the rows of 4 columns."""
    return tuple(zip(*lines, strict=True))


def afterstates(board: Board) -> Path:
    """The afterstates of the legal moves."""
    rows, columns = board[:4], board[4:]
    left, right, rewards = zip(*map(slides, rows), strict=True)
    found = [(slid + crossed(slid), sum(rewards)) for slid in (left, right) if slid != rows]
    up, down, rewards = zip(*map(slides, columns), strict=True)
    found += [(crossed(slid) + slid, sum(rewards)) for slid in (up, down) if slid != columns]
    return found


def spawn(board: Board, rng: Random) -> Board:
    """A new tile in a random empty cell: a 2, or a 4 with probability 0.1."""
    cells = [exponent for row in board[:4] for exponent in row]
    empty = [cell for cell, exponent in enumerate(cells) if exponent == 0]
    cells[rng.choice(empty)] = 1 if rng.random() < 0.9 else 2
    rows = tuple(tuple(cells[start : start + 4]) for start in (0, 4, 8, 12))
    return rows + crossed(rows)


def new_network() -> Network:
    """Two weight tables, all 0. Rows and columns lie at the edge, inside, inside, at the edge."""
    edge, inside = defaultdict(float), defaultdict(float)
    return (edge, inside, inside, edge) * 2


def value(network: Network, board: Board) -> float:
    """V(s') = w[line 1] + ... + w[line 8], in points."""
    return fsum(map(getitem, network, board))


def play(network: Network, rng: Random) -> Path:
    """Play one game: always the move with the largest r + V(s')."""
    path: Path = []
    board = spawn(spawn(((0,) * 4,) * 8, rng), rng)
    while moves := afterstates(board):
        path.append(max(moves, key=lambda move: move[1] + value(network, move[0])))
        board = spawn(path[-1][0], rng)
    return path


def learn(network: Network, path: Path) -> None:
    """TD(0), from the last afterstate to the first."""
    target = 0.0  # no more points after the last afterstate
    for afterstate, reward in reversed(path):
        delta = target - value(network, afterstate)  # TD error: r_next + V(s'_next) - V(s')
        for weights, line in zip(network, afterstate, strict=True):  # w += alpha / m * delta
            weights[line] = weights[line[::-1]] = weights[line] + ALPHA / 8 * delta
        target = reward + value(network, afterstate)  # for the afterstate before: r + V(s')


def score(path: Path) -> int:
    """The score of a game, in points."""
    return sum(reward for _, reward in path)


def train(network: Network, games: int, rng: Random) -> None:
    """Play and learn; prints the learning curve."""
    scores: list[int] = []
    print(" games  mean of last 100  seconds")
    for game in range(1, games + 1):
        path = play(network, rng)
        learn(network, path)
        scores.append(score(path))
        if game % EVERY == 0:
            mean = fmean(scores[-100:])
            bar = "#" * int(mean / 250)
            print(f"{game:6,} {mean:17,.0f} {process_time():8.1f}  {bar}", flush=True)


def main() -> None:
    """Train to the last game or Ctrl-C, then play 100 games without learning."""
    parser = argparse.ArgumentParser(description="Learn 2048 by temporal differences.")
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    network, rng = new_network(), Random(options.seed)
    with suppress(KeyboardInterrupt):
        train(network, options.games, rng)
    mean = fmean(score(play(network, rng)) for _ in range(100))
    print(f"100 games without learning: mean {mean:,.0f}")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
