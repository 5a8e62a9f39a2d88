"""Tuning: finds better weights for an evaluator by playing games."""
