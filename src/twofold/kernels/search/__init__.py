"""Looking ahead, and what boards are worth to heuristics."""
