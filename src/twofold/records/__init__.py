"""Records: whole games as text."""
