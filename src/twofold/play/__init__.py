"""Games in play, whatever shows them: kept in files, with the best scores, played on by a player.

The web app, the terminal and the commands are faces of what is here.
"""
