"""Electrical simulation of a board by ngspice, from the nets that are drawn."""
