"""Generators of a kit: circuit boards, printed parts, wiring, pieces, guides, and their checks."""
