"""Learning: temporal-difference training of n-tuple networks, its settings and its files."""
