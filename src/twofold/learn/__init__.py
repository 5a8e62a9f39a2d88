"""Learning: TD training of n-tuple networks, and PPO of policy networks (needs PyTorch)."""

import os

# PyTorch's threads sleep while they wait for each other. Spinning, two threads on a busy machine
# are slower than one.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
