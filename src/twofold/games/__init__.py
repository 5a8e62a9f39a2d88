"""Games of a person: kept, shared with a player, judged, drawn."""
