"""Reports: what the games of a study say, as pages, text, pictures."""
