"""Many games at a time: matches, balance, laws, pieces needed."""
