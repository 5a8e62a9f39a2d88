"""Studies: finished games in one SQLite file."""
