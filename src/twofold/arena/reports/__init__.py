"""Reports of studies: HTML pages, text and plots."""
