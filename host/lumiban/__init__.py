"""lumiban: a table for abstract games on a lit board that senses its pieces."""

__version__ = "0.1.0"
