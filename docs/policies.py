"""Draws docs/images/policies.svg: optimal play of 3x3 for different ends, compared.

twofold solve --rules 3x3 --out 3x3.table
twofold solve --rules 3x3 --goal 512 --out 3x3-512.table
twofold solve --rules 3x3 --goal 1024 --out 3x3-1024.table
python docs/policies.py 3x3.table 3x3-512.table 3x3-1024.table
"""

import sys
from pathlib import Path

from twofold.game.board import Board
from twofold.game.drawing import board_parts, board_size
from twofold.game.game import Game
from twofold.game.rules import Move
from twofold.tables.exact import ExactTable, outcomes
from twofold.tables.problem import ExactObjective, canonical_bits

OUT = Path(__file__).parent / "images" / "policies.svg"
INK, PAPER = "#4a4238", "#fffdf9"
COLOURS = ("#2b6cb0", "#c05621", "#2f855a")
SIDE, WIDTH, BARS = 146, 860, 250
ARROWS = {Move.UP: "up", Move.RIGHT: "right", Move.DOWN: "down", Move.LEFT: "left"}


def name(table: ExactTable) -> str:
    """What a table plays for."""
    problem = table.problem
    return "score" if problem.objective is ExactObjective.SCORE else f"{problem.rules.goal}"


def bars(tables: list[ExactTable]) -> list[str]:
    """The chance of each largest tile at the end, a colour for each table."""
    ends = [outcomes(table).tiles for table in tables]
    tiles = sorted({tile for each in ends for tile, chance in each.items() if chance > 0.002})
    parts = [text(20, 30, "largest tile at the end, under optimal play of 3x3 for", "title")]
    for number, table in enumerate(tables):
        words = "the score" if name(table) == "score" else f"the chance of {name(table)}"
        x = 20 + 190 * number
        parts.append(f'<rect x="{x}" y="44" width="14" height="14" fill="{COLOURS[number]}"/>')
        parts.append(text(x + 20, 56, words, "label"))
    step = (WIDTH - 40) / len(tiles)
    for place, tile in enumerate(tiles):
        left = 20 + place * step
        parts.append(text(left + step / 2, BARS - 6, str(tile), "middle"))
        for number, each in enumerate(ends):
            chance = each.get(tile, 0.0)
            width, height = step / 4, 130 * chance
            x, y = left + step / 8 + number * width, BARS - 24 - height
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 2:.1f}" height="{height:.1f}" '
                f'fill="{COLOURS[number]}"/>'
            )
            if chance >= 0.002:
                label = f"{100 * chance:.1f}" if chance < 0.0995 else f"{100 * chance:.0f}"
                parts.append(text(x + width / 2 - 1, y - 4, label, "small"))
    return parts


def text(x: float, y: float, words: str, kind: str) -> str:
    """A line of text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{words}</text>'


def best(table: ExactTable, board: Board) -> Move:
    """The move of most value."""
    values = table.move_values(board)
    return max(values, key=lambda move: values[move])


def loss(table: ExactTable, board: Board, move: Move) -> float:
    """What a move is worth less than the best one."""
    values = table.move_values(board)
    return max(values.values()) - values[move]


def disagreements(score: ExactTable, goal: ExactTable, games: int = 150) -> list[Board]:
    """Boards of games played for the score on which play for the goal would lose most by it."""
    found: dict[int, tuple[float, Board]] = {}  # the worst of each game
    rules = score.problem.rules
    for seed in range(1, games + 1):
        game = Game(rules, seed=seed)
        while not game.is_finished and game.board.max_tile < goal.problem.rules.goal:
            move = best(score, game.board)
            other = best(goal, game.board)
            cost = loss(goal, game.board, move) * loss(score, game.board, other)
            if cost > found.get(seed, (1e-7,))[0]:
                found[seed] = (cost, game.board)
            game.play(move)
    ranked = sorted(found.values(), key=lambda each: -each[0])
    distinct = {canonical_bits(board): board for _, board in reversed(ranked)}
    return list(reversed(distinct.values()))[:3]


def picture(board: Board, left: float, top: float) -> list[str]:
    """A board."""
    scale = SIDE / board_size(*board.shape)[0]
    place = f'<g transform="translate({left} {top}) scale({scale:.4f})">'
    return [place, *board_parts(*board.shape, board.exponents, "light"), "</g>"]


def compared(score: ExactTable, goal: ExactTable, top: float) -> list[str]:
    """Three boards on which the two disagree, and what each move costs the other."""
    chance = f"chance of {goal.problem.rules.goal}"
    parts = [text(20, top, f"where play for the score and for the {chance} part", "title")]
    for number, board in enumerate(disagreements(score, goal)):
        left = 20 + number * 278
        parts += picture(board, left, top + 18)
        for row, (table, other) in enumerate(((score, goal), (goal, score))):
            move = best(table, board)
            lost = loss(other, board, move)
            y = top + 40 + 56 * row
            cost = f"{100 * lost:.2g} % chance" if other is goal else f"{lost:,.2g} points"
            colour = COLOURS[0] if table is score else COLOURS[2]
            x = left + SIDE + 10
            parts.append(f'<rect x="{x - 4}" y="{y - 14}" width="4" height="34" fill="{colour}"/>')
            what = "score" if table is score else f"{goal.problem.rules.goal}"
            parts.append(text(x + 6, y, f"for {what}: {ARROWS[move]}", "label"))
            parts.append(text(x + 6, y + 18, f"costs {cost}", "note"))
    return parts


def draw(tables: list[ExactTable]) -> str:
    """The picture as SVG."""
    parts = [*bars(tables), *compared(tables[0], tables[2], BARS + 34)]
    height = BARS + 34 + 18 + SIDE + 20
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-label="How games of 3x3 end under optimal play for the score and for two goals, '
        'and three boards on which the best moves differ">'
        f"<style>text[class]{{font:13px sans-serif;fill:{INK}}}"
        "text.title{font-weight:bold;font-size:15px}text.middle,text.small{text-anchor:middle}"
        "text.small{font-size:10px}text.note{font-size:11px}</style>"
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>\n'
        + "\n".join(parts)
        + "</svg>\n"
    )


if __name__ == "__main__":
    OUT.write_text(draw([ExactTable.open(path) for path in sys.argv[1:4]]), encoding="utf-8")
