"""Tuning: better weights for an evaluator, found by playing."""
