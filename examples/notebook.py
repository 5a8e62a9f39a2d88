"""Boards, analyses and games in a notebook.

VS Code, Spyder and Jupytext run the cells; paste them unchanged into Jupyter or marimo.
`python examples/notebook.py` runs them all and writes two files.
"""

# %% A board shows itself.
from twofold import Board, Game, Record, make_player
from twofold.notebook import replay, show

Board.parse("0012/0013/0124/1357")

# %% Analyse it: an arrow on the best move, a bar for each of the four.
board = Board.parse("0012/0013/0124/1357")
player = make_player("expectimax:eval=snake,ply=2")
show(board, player.analyse(board))

# %% Play some moves. A game shows itself; `show` makes it larger.
game = Game(seed=7)
player.start(game.rules, seed=7)
while game.legal_moves() and game.move_number < 200:
    game.play(player.choose(game.board))
show(game, scale=0.8)

# %% Step through it.
record = Record.from_game(game, player="expectimax", comments={100: "half of it"})
replay(record)

# %% Pictures and replays are files as well.
show(game, scale=1.0).save("board.svg")
replay(record).save("game.html")
