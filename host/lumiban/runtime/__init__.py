"""A running table: board, session, bots, hands and page brought together."""
