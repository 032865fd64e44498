"""A game being played: referee, seats, history, journal, and the session around them."""
