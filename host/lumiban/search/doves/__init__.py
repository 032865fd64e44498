"""Search of Tokyo Doves: alpha-beta, short wins, tables."""
