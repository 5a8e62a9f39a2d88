"""The game in a browser: finds, reads and plays 2048 pages."""
