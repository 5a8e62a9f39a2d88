"""Kernels of policy networks."""
