"""Review: what each move of a game was worth, and what that says of the game."""
