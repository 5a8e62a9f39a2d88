"""Small games solved."""
