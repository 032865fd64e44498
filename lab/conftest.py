"""Collection of tests here: code for an emulated chip imports what only MicroPython has; tests
stand in tests/."""

collect_ignore = ["lumiban_lab/rp2040/measure.py"]
