"""Games in play, for every face: their files, the best scores, autoplay."""
