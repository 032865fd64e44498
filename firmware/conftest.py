"""Files for the chip alone import what only MicroPython has; their tests stand in tests/."""

collect_ignore_glob = ["lumiban_fw/kernels_viper.py", "lumiban_fw/hal_*.py", "lumiban_fw/pio*.py"]
