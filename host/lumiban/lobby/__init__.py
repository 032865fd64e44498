"""The lobby: what is played next, chosen on the board by light and pieces alone."""
