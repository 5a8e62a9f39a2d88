"""The game in a browser: 2048 pages are found, read and played."""
