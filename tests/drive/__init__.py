"""Turns on a real event loop, with a clock that stands still."""
