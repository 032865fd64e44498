"""What a position looks like, in light and as a picture."""
