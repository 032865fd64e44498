"""Scripts for the MicroPython VM; `tests/test_micropython.py` runs them there."""

collect_ignore_glob = ["*.py"]
