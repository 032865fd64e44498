"""Scripts for the MicroPython VM; `tests/unit/firmware/test_micropython.py` runs them there."""

collect_ignore_glob = ["*.py"]
