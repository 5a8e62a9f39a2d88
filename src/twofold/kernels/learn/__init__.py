"""N-tuple networks: their values, and how they learn."""
