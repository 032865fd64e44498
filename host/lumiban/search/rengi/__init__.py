"""Search of Rengi: beams of fields, and readings of the duel."""
