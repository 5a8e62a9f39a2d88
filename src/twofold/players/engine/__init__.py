"""Engines: programs that speak the text protocol, as players here and as servers."""
