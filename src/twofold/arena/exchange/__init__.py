"""Games of a study as CSV or Parquet, and back."""
