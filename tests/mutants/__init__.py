"""Small mistakes made on purpose, and the tests that are to notice each."""
