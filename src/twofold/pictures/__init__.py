"""Games and boards as files to share: pictures, animations, and pages that replay a game.

PNG, GIF and WebP need Pillow, the extra `share`; SVG and replays do not.
"""
