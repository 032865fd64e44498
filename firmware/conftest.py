"""Files for the chip alone import what only MicroPython has; their tests stand in tests/."""

collect_ignore_glob = [
    "main.py",
    "lumiban_fw/kernels_thumb.py",
    "lumiban_fw/kernels_viper*.py",
    "lumiban_fw/hal_*.py",
    "lumiban_fw/pico_main.py",
    "lumiban_fw/pio*.py",
]
