"""What twofold measures of itself: `python -m benchmarks [NAME...]`, or `scripts/bench`."""
