"""Draws the pictures of docs/learn: docs/images/learn-*.svg.

python docs/learn.py [NAME...]
"""

import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import twofold
from twofold import Board, Game, Move, Rules
from twofold.arena.stats import mean_interval
from twofold.game.drawing import (
    Colour,
    board_parts,
    board_size,
    cell_corner,
    label,
    paint,
    picture,
    rectangle,
)
from twofold.tables.exact import ExactTable

OUT = Path(__file__).parent / "images"
PAGE = Colour("#fffdf9", "#1e1c1a")
INK = Colour("#3b2f25", "#efe6da")
FAINT = Colour("#85796d", "#a79b8e")
LINE = Colour("#c8bcae", "#5a5048")
BLUE = Colour("#2b6cb0", "#8fb8e6")
RED = Colour("#b5401f", "#f0906c")
SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
PALE = Colour("#efe6d8", "#332e29")


def ink(colour: Colour = INK) -> str:
    return paint("auto", fill=colour)


def line(points: Iterable[tuple[float, float]], colour: Colour = LINE, width: float = 2) -> str:
    """Straight lines through points."""
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    colours = paint("auto", stroke=colour)
    return f'<path d="{path}" fill="none" stroke-width="{width:g}" {colours}/>'


def arrow(x0: float, x1: float, y: float) -> str:
    """An arrow to the right."""
    return line([(x0, y), (x1, y)], INK, 3) + line(
        [(x1 - 9, y - 7), (x1, y), (x1 - 9, y + 7)], INK, 3
    )


def dot(x: float, y: float, colour: Colour, radius: float = 5) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" {ink(colour)}/>'


def small(board: Board, x: float, y: float, scale: float) -> str:
    """A board, its top-left corner at x, y."""
    parts = board_parts(*board.shape, board.exponents, "auto")
    return f'<g transform="translate({x:g} {y:g}) scale({scale:g})">{"".join(parts)}</g>'


def middle(x: float, y: float, text: str, size: float, colour: Colour = INK, **more: bool) -> str:
    return label(x, y, text, size, ink(colour), anchor="middle", **more)


def save(name: str, width: float, height: float, parts: list[str], title: str, seen: str) -> None:
    """Write a picture on a page of its own colour."""
    page = rectangle(0, 0, width, height, ink(PAGE), 10)
    svg = picture(
        width, height, [page, *parts], title=title, description=seen, theme="auto", scale=1
    )
    (OUT / f"learn-{name}.svg").write_text(svg, encoding="utf-8")


# ---- the pictures


def game() -> None:
    """State, afterstate, next state."""
    board = Board.parse("1123/0012/0001/0000")
    after, reward = board.slide(Move.LEFT)
    spawned = after.place(14, 2)
    scale, size = 0.42, board_size(4, 4)[0] * 0.42
    parts = []
    for number, (shown, name, below) in enumerate([
        (board, "state s", "you choose a move"),
        (after, "afterstate s'", "chance adds a tile"),
        (spawned, "next state", "a 2 (90 %) or a 4 (10 %)"),
    ]):  # fmt: skip
        x = 24 + number * (size + 104)
        parts += [small(shown, x, 52, scale)]
        parts += [middle(x + size / 2, 28, name, 20, bold=True)]
        parts += [middle(x + size / 2, size + 76, below, 17, FAINT)]
        if number:
            parts += [arrow(x - 88, x - 16, 52 + size / 2)]
            words = ("left", f"reward {reward}") if number == 1 else ("spawn", "by chance")
            parts += [middle(x - 52, 30 + size / 2, words[0], 18, BLUE, bold=True)]
            parts += [middle(x - 52, 76 + size / 2, words[1], 16, FAINT)]
    x, y = cell_corner(14, 4)
    left, top = 24 + 2 * (size + 104) + x * scale - 3, 52 + y * scale - 3
    frame = paint("auto", stroke=RED)
    parts += [
        f'<rect x="{left:.1f}" y="{top:.1f}" width="48" height="48" rx="5" fill="none" '
        f'stroke-width="3" {frame}/>'
    ]
    save("game", 3 * size + 256, size + 100, parts, "A step of the game",
         "A state, the afterstate of a move to the left, and a next state")  # fmt: skip


def heuristics() -> None:
    """The weights of a snake, and its path."""
    path = [0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11, 15, 14, 13, 12]
    side, gap, left, top = 92, 8, 24, 24
    parts = []
    centres = []
    for place, cell in enumerate(path):
        row, col = divmod(cell, 4)
        x, y = left + col * (side + gap), top + row * (side + gap)
        centres.append((x + side / 2, y + side / 2))
        shade = (1 - place / 15) ** 1.6
        mixed = Colour(
            *(
                mix(PALE_, DEEP, shade)
                for PALE_, DEEP in zip(PALE, ("#d6960a", "#b07a10"), strict=True)
            )
        )
        parts.append(rectangle(x, y, side, side, ink(mixed), 6))
    parts.append(f'<g opacity="0.25">{line(centres, INK, 3)}</g>')
    for place, (x, y) in enumerate(centres):
        text = (
            "1"
            if place == 0
            else f"1/{4**place:,}"
            if place < 5
            else "4⁻" + str(place).translate(SUPERSCRIPT)
        )
        parts.append(middle(x, y - 20, text, 18, bold=place < 4))
    x = left + 4 * (side + gap) + 24
    words = [
        *("Each cell counts a quarter", "of the one before it.", ""),
        *("value = sum of", "tile × weight", ""),
        *("The snake may begin in any", "corner, in either direction;", "the largest sum counts."),
    ]
    for row, text in enumerate(words):
        parts.append(label(x, 80 + 30 * row, text, 19, ink(INK if row < 5 else FAINT)))
    save("heuristics", x + 270, 2 * top + 4 * (side + gap) - gap, parts, "The snake",
         "Weights of the cells along a snake from the top left corner")  # fmt: skip


def mix(first: str, second: str, share: float) -> str:
    """A colour between two."""
    pairs = [(int(first[i : i + 2], 16), int(second[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def expectimax() -> None:
    """A real tree of 2x2: values are the exact ones."""
    table = twofold.solve("2x2")
    board = Board.parse("2x2:02/11")
    values = table.move_values(board)
    scale = 0.26
    size = board_size(2, 2)[0] * scale
    width = 940
    parts = [label(20, 60, "max: choose a move", 17, ink(FAINT)),
             middle(500, 275, "mean: a tile spawns", 17, FAINT)]  # fmt: skip
    moves = sorted(values, key=lambda move: -values[move])
    unlike = []
    for move in moves:  # one move for each different afterstate value
        if all(abs(values[move] - values[other]) > 1e-9 for other in unlike):
            unlike.append(move)
    root = (width / 2, 20)
    step = width / len(unlike)
    best = max(values.values())
    for number, move in enumerate(unlike):
        after, reward = board.slide(move)
        x = step * (number + 0.5) if len(unlike) > 1 else width / 2
        chosen = abs(values[move] - best) < 1e-9
        colour = BLUE if chosen else LINE
        parts.append(line([(root[0], root[1] + size), (x, 170)], colour, 4 if chosen else 2))
        parts.append(small(after, x - size / 2, 170, scale))
        words = f"{move.name.lower()}: {reward} + {values[move] - reward:.2f} = {values[move]:.2f}"
        beside = (x + size / 2 + 12, 170 + size / 2)
        parts.append(label(*beside, words, 17, ink(BLUE if chosen else INK), bold=chosen))
        spawns = after.spawns()
        gap = min(110, step / len(spawns))
        for place, spawn in enumerate(spawns):
            after_spawn = after.place(spawn.cell, spawn.tile)
            sx = x + (place - (len(spawns) - 1) / 2) * gap
            parts.append(line([(x, 170 + size), (sx, 320)], LINE, 1 + 5 * spawn.probability))
            parts.append(small(after_spawn, sx - size / 2, 320, scale))
            parts.append(middle(sx, 306, f"{100 * spawn.probability:.3g} %", 14, FAINT))
            value = table.value(after_spawn) if after_spawn.legal_moves() else 0.0
            parts.append(middle(sx, 334 + size, f"{value:.2f}", 15))
    parts.insert(0, small(board, root[0] - size / 2, root[1], scale))
    parts.append(
        label(
            root[0] + size / 2 + 14,
            root[1] + size / 2,
            f"value {best:.2f}",
            18,
            ink(BLUE),
            bold=True,
        )
    )
    save("expectimax", width, 364 + size, parts, "Expectimax on 2x2",
         "A search tree with exact values: maximum over moves, mean over spawns")  # fmt: skip


def minimax() -> None:
    """Alpha-beta: the first reply of the second move refutes it."""
    leaves = [[12, 8, 15], [5, None, None]]
    parts = [label(20, 50, "max", 18, ink(FAINT)), label(20, 160, "min", 18, ink(FAINT)),
             label(20, 270, "leaves", 18, ink(FAINT))]  # fmt: skip
    root = (430, 50)
    for number, replies in enumerate(leaves):
        x = 250 + 360 * number
        colour = BLUE if number == 0 else LINE
        parts.append(line([root, (x, 160)], colour, 4 if number == 0 else 2))
        for place, leaf in enumerate(replies):
            lx = x + 110 * (place - 1)
            dashed = leaf is None
            drawn = line([(x, 160), (lx, 262)], LINE, 2)
            parts.append(
                drawn.replace("<path", '<path stroke-dasharray="6 6"') if dashed else drawn
            )
            if dashed:
                parts.append(line([((x + lx) / 2 - 9, 202), ((x + lx) / 2 + 9, 220)], RED, 4))
                parts.append(line([((x + lx) / 2 - 9, 220), ((x + lx) / 2 + 9, 202)], RED, 4))
            fill = Colour("#e4dbcf", "#3d3731") if dashed else PALE
            parts.append(rectangle(lx - 32, 262, 64, 44, ink(fill), 8))
            parts.append(
                middle(
                    lx, 284, "?" if dashed else str(leaf), 22, FAINT if dashed else INK, bold=True
                )
            )
        words = "8" if number == 0 else "at most 5"
        wide = 60 if number == 0 else 120
        parts.append(rectangle(x - wide / 2, 138, wide, 44, ink(PALE), 8))
        parts.append(middle(x, 160, words, 20, BLUE if number == 0 else RED, bold=True))
    parts.append(rectangle(root[0] - 34, 28, 68, 44, ink(PALE), 8))
    parts.append(middle(*root, "8", 22, BLUE, bold=True))
    words = (
        "The right move is worth at most 5, the left one 8: the replies marked × need no search."
    )
    parts.append(middle(430, 346, words, 18))
    save("minimax", 860, 376, parts, "Alpha-beta pruning",
         "A tree of two moves with three replies each; two replies are cut off")  # fmt: skip


def td() -> None:
    """The program of the page, its mean score over time."""
    exact = twofold.solve("2x2").start_value
    rules = Rules.parse("2x2")
    curves = []
    for begin in (80.0, 0.0):
        value: defaultdict[Board, float] = defaultdict(lambda begin=begin: begin)
        scores = []
        for seed in range(1, 3_001):
            played, last = Game(rules, seed=seed), None
            while played.legal_moves():
                slides = [(move, played.board.slide(move)) for move in played.legal_moves()]
                found = [(slide.reward, move, slide.board.canonical()) for move, slide in slides]
                reward, move, after = max(found, key=lambda each: each[0] + value[each[2]])
                if last is not None:
                    value[last] += 0.1 * (reward + value[after] - value[last])
                played.play(move)
                last = after
            value[last] += 0.1 * (0 - value[last])
            scores.append(played.score)
        curves.append([float(np.mean(scores[k : k + 150])) for k in range(0, 3_000, 150)])
    low, high, left, top, width, height = 40.0, 80.0, 76, 36, 620, 250

    def at(games: float, points: float) -> tuple[float, float]:
        return left + width * games / 3_000, top + height * (high - points) / (high - low)

    parts = [label(14, 16, "mean score of 150 games", 16, ink(FAINT))]
    for points in range(40, 81, 10):
        parts.append(line([at(0, points), at(3_000, points)], LINE, 1))
        parts.append(label(left - 12, at(0, points)[1], str(points), 16, ink(FAINT), anchor="end"))
    for games in range(0, 3_001, 500):
        parts.append(middle(at(games, 0)[0], top + height + 20, f"{games:,}", 16, FAINT))
    parts.append(middle(left + width / 2, top + height + 44, "games learned from", 16, FAINT))
    parts.append(
        line([at(0, exact), at(3_000, exact)], INK, 2).replace(
            "<path", '<path stroke-dasharray="8 6"'
        )
    )
    parts.append(label(left + width + 10, at(0, exact)[1], f"optimal {exact:.2f}", 16, ink()))
    for curve, colour in zip(curves, (BLUE, RED), strict=True):
        parts.append(line([at(150 * k + 75, y) for k, y in enumerate(curve)], colour, 3))
    parts.append(
        label(
            left + width + 10, at(0, exact)[1] + 26, "values begin at 80", 16, ink(BLUE), bold=True
        )
    )
    parts.append(
        label(
            left + width + 10,
            at(0, curves[1][-1])[1] + 4,
            "values begin at 0",
            16,
            ink(RED),
            bold=True,
        )
    )
    save("td", left + width + 180, top + height + 66, parts, "TD learning on 2x2",
         "Mean scores over 3,000 games for two initial values, and the optimal one")  # fmt: skip


def solving() -> None:
    """States of 2x3 by layer."""
    table = twofold.solve("2x3")
    layers = [(total, count) for total, count in layer_sizes(table) if count]
    left, top, width, height = 60, 30, 760, 220
    most = max(count for _, count in layers)
    last = max(total for total, _ in layers)
    parts = [label(14, 14, "states in a layer", 16, ink(FAINT))]
    for count in range(0, most + 1, 100):
        y = top + height * (1 - count / most)
        parts.append(line([(left, y), (left + width, y)], LINE, 1))
        parts.append(label(left - 8, y, str(count), 15, ink(FAINT), anchor="end"))
    for total, count in layers:
        x = left + width * total / (last + 2)
        tall = height * count / most
        parts.append(
            rectangle(
                x, top + height - tall, max(1.5, 2 * width / (last + 2) - 0.6), tall, ink(BLUE), 0
            )
        )
    for total in range(0, last + 1, 32):
        parts.append(
            middle(left + width * total / (last + 2), top + height + 16, str(total), 15, FAINT)
        )
    parts.append(middle(left + width / 2, top + height + 40, "sum of the tiles", 16, FAINT))
    parts.append(arrow(left + 250, left + 330, top + height + 68))
    parts.append(label(left + 344, top + height + 68, "games", 16, ink()))
    parts.append(
        arrow(-(left + 560), -(left + 480), top + height + 68).replace(
            "<path", '<path transform="scale(-1 1)"'
        )
    )
    parts.append(label(left + 574, top + height + 68, "the solver", 16, ink()))
    save("solving", left + width + 30, top + height + 92, parts, "Layers of 2x3",
         "Number of states of 2x3 for each sum of the tiles")  # fmt: skip


def layer_sizes(table: ExactTable) -> list[tuple[int, int]]:
    """(sum of the tiles, number of states) of each layer."""
    return [(int(total), int(count)) for total, count in table.layers.index[:, :2]]


def measuring() -> None:
    """Twenty intervals of one player."""
    result = twofold.bench("greedy", games=10_000, seed=1)
    scores = result[0].games.scores
    mean = float(scores.mean())
    low, high, left, top, width, row = 2_000.0, 4_000.0, 70, 44, 700, 17

    def at(points: float) -> float:
        return left + width * (points - low) / (high - low)

    bottom = top + 20 * row
    parts = [line([(at(mean), top - 14), (at(mean), bottom)], INK, 2)]
    parts.append(middle(at(mean), top - 26, f"mean of 10,000 games: {mean:,.0f}", 16, bold=True))
    missed = 0
    for number in range(20):
        found = mean_interval(scores[100 * number : 100 * number + 100])
        holds = found.low <= mean <= found.high
        missed += not holds
        y, colour = top + row * (number + 0.5), BLUE if holds else RED
        parts.append(line([(at(found.low), y), (at(found.high), y)], colour, 3))
        parts.append(dot(at(found.value), y, colour))
        parts.append(label(left - 14, y, f"{100 * number + 1:,}", 13, ink(FAINT), anchor="end"))
    for points in range(2_000, 4_001, 500):
        parts.append(line([(at(points), bottom), (at(points), bottom + 6)], FAINT, 2))
        parts.append(middle(at(points), bottom + 20, f"{points:,}", 15, FAINT))
    parts.append(
        middle(
            left + width / 2,
            bottom + 46,
            f"score of greedy, points; {missed} of 20 intervals miss the mean",
            16,
            FAINT,
        )
    )
    parts.append(label(6, top - 26, "first seed", 14, ink(FAINT)))
    save("measuring", left + width + 40, bottom + 66, parts, "Twenty intervals",
         "Twenty 95 % intervals of 100 games each around the mean of 10,000 games")  # fmt: skip


PICTURES = (game, heuristics, expectimax, minimax, td, solving, measuring)

if __name__ == "__main__":
    for draw in PICTURES:
        if not sys.argv[1:] or draw.__name__ in sys.argv[1:]:
            draw()
