"""Calibration: fits the scores of the built-in model and checks what they mean, for it and for one over HTTP."""
