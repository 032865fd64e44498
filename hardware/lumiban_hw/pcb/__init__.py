"""Circuit boards: land patterns, drawings, a router, and what KiCad does with them."""
