"""Searches, and heuristic evaluators on bits and on cells."""
