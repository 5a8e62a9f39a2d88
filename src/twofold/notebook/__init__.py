"""Boards, analyses and games as pictures in a notebook: Jupyter, JupyterLab, marimo, VS Code.

A `Board` or a `Game` at the end of a cell shows itself. The functions here show more::

    from twofold.notebook import replay, show

    show(board, player.analyse(board))  # the board, its best move, the values of all four
    show(record, theme="dark", scale=0.8)
    replay(game)  # walk through the game with a slider

Nothing has to be installed for it, and nothing is fetched: a picture is SVG that stands alone, a
replay one HTML page with its own script, in a frame that can reach nothing else.
"""

from twofold.notebook.view import View, show
from twofold.pictures.replays import Replay, replay

__all__ = ["Replay", "View", "replay", "show"]
