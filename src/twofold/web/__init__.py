"""The web app: a server for its owner only, and the page it serves."""
