"""Lab that measures lumiban and wears it out; no part of what is installed."""
