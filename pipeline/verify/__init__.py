"""Proves a release folder: every file, every row, every grade, every way to load it."""
