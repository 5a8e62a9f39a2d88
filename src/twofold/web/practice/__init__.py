"""The Practice page: endgames with tables, the notebook of mistakes, the puzzle of the day."""
