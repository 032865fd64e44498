"""A board as the host sees it: its profile, its link, its line, its faults."""
