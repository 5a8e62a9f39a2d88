"""N-tuple networks: their patterns and weights, and the files that hold them."""
