"""A list of moves without the illegal ones."""


def replayed(letters: str, seed: str) -> str:
    """Play these moves, skip illegal ones, and return the rest."""
    from twofold import Game, Move

    game = Game(seed=int(seed))
    for letter in letters:
        if (move := Move.parse(letter)) in game.legal_moves():
            game.play(move)
    return "".join(move.letter for move in game.moves)
