"""Rengi: a battle of falling blocks by turns, on two fields of six columns."""
