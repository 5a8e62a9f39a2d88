"""The terminal: boards as text, a game shared by a person and a player, the full screen app.

Only `app` and the screens need the extra `tui` (Textual).
"""
