"""Bots, analysis and solvers: what thinks about games."""
