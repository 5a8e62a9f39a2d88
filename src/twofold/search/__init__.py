"""Searches: expectimax, minimax, alpha-beta, iterative deepening, and their analyses."""
