"""Recordings of running tables: written, read, run again."""
