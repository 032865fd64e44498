"""How Rengi is thought about: beams of fields, and readings of the duel."""
