"""What a kept game is worth after it is played again."""


def replayed(letters: str, seed: str) -> str:
    """The letters that are legal when their turn comes."""
    from twofold import Game, Move

    game = Game(seed=int(seed))
    for letter in letters:
        if (move := Move.parse(letter)) in game.legal_moves():
            game.play(move)
    return "".join(move.letter for move in game.moves)
