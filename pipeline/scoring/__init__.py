"""Scores for files of answers and for answers that need no work. Knows no family by name."""
