"""Review: grades the moves of a game, and summarises the grades."""
