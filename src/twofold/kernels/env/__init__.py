"""Environments for reinforcement learning: many games at a time."""
