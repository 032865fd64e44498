"""What the field model says of a board: tables, forces, thresholds with their margins."""
