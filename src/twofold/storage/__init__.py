"""A file is old or new and never half; arrays in a file; locks; memory."""
