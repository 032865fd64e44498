"""Games of the same family by other designers, each in one file of plain Python."""
