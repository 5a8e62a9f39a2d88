"""Games and boards in the formats of other programs."""
