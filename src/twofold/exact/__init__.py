"""Exact play: small games solved, and the values and outcomes of their solutions."""

from twofold.exact.problem import ExactObjective, Problem
from twofold.exact.table import ExactTable, solve

__all__ = ["ExactObjective", "ExactTable", "Problem", "solve"]
