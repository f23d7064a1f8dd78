"""Measures what the answer key gives away: claims, shortcuts, floors, identity. Knows no family by name."""
