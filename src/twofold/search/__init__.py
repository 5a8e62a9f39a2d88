"""Ways to look ahead, and what they answer."""
