"""Engines: programs that speak the text protocol, as players of ours and as servers of theirs."""
