"""Records: whole games as text, read, written and replayed."""
