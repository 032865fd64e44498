"""A board on the Pi's own header."""
