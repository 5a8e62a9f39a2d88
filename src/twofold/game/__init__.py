"""A board, the rules, a move, the dice, a game: as values, as text and as a picture."""
