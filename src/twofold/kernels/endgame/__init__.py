"""Endgame tables: built, and asked."""
