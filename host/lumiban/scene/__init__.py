"""Looks of a position, in light and as a picture."""
