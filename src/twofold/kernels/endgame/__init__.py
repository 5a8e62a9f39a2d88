"""Endgame tables: building and look-up."""
