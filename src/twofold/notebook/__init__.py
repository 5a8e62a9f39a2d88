"""Boards, analyses and games as pictures in a notebook: Jupyter, JupyterLab, marimo, VS Code.

A `Board` or a `Game` at the end of a cell is shown as a picture. The functions here show more::

    from twofold.notebook import replay, show

    show(board, player.analyse(board))  # the board, its best move, the values of all four
    show(record, theme="dark", scale=0.8)
    replay(game)  # walk through the game with a slider

It needs no installation and fetches nothing: a picture is a complete SVG; a replay is one HTML
page with its script, in a sandboxed frame.
"""

from twofold.notebook.view import View, show
from twofold.pictures.replays import Replay, replay

__all__ = ["Replay", "View", "replay", "show"]
