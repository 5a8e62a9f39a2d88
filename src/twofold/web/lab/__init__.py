"""The laboratory: studies and training runs on the page."""
