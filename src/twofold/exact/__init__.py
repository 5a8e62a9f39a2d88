"""Exact play: small games solved, and what their solutions tell."""

from twofold.exact.problem import ExactObjective, Problem
from twofold.exact.table import ExactTable, solve

__all__ = ["ExactObjective", "ExactTable", "Problem", "solve"]
