"""The terminal: boards as text, a game that a person and a player share, the full screen app.

`app` and the screens need the extra `tui` (Textual). Everything else here does without, and is
what the plain forms of `twofold play`, `watch` and `review` are made of as well.
"""
