"""What teaches a game: the guide's chapters as a page reads them, and lessons at the board."""
