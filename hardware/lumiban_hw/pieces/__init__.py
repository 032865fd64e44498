"""The pieces: bodies with a magnet's pocket, and caps that fingers tell apart."""
