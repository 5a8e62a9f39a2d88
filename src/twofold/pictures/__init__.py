"""Games and boards as files to pass on: pictures, animations, and pages that replay a game.

SVG and replays need nothing else. PNG, GIF and WebP are drawn with Pillow, the extra `share`.
"""
