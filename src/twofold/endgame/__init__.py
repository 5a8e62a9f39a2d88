"""Endgame tables: exact play of late 4x4 boards whose large tiles do not move."""
