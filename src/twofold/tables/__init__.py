"""Boards whose worth is known: endgame tables, and small games solved exactly."""
