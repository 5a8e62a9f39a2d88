"""Exports the games of a study to CSV or Parquet, and imports them."""
