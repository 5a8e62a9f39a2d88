"""Solving small games exactly."""
