"""A simulated board, at the level of magnets and pins, with hands over it and faults in it."""
