"""Exact play: small games solved, and what their solutions tell."""

from twofold.exact.problem import Objective, Problem
from twofold.exact.table import Table, solve

__all__ = ["Objective", "Problem", "Table", "solve"]
