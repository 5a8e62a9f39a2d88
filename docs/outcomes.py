"""Draws the pictures of how games of 3x3 end in docs/exact.md: from the start, and from a board.

twofold solve --rules 3x3 --out 3x3.table
python docs/outcomes.py 3x3.table
"""

import sys
from pathlib import Path

from twofold import Board
from twofold.exact import ExactTable
from twofold.exact.outcomes import outcomes
from twofold.notebook import show

OUT = Path(__file__).parent / "images"
BOARD = "3x3:657/115/012"

if __name__ == "__main__":
    table = ExactTable.open(sys.argv[1], check=True)
    show(outcomes(table)).save(OUT / "outcomes-start.svg")
    show(outcomes(table, Board.parse(BOARD))).save(OUT / "outcomes-board.svg")
