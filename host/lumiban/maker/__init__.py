"""Tools that bring a board to life: doctor, self-test, calibration, the program on its chip."""
