"""Learning: the exact objective, the loop, runs and calibration."""
