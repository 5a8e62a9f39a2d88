"""Training of policy networks by PPO; needs the extra `policy` (PyTorch)."""
