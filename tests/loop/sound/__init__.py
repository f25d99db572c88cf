"""Loops that keep every promise, each of another make: nothing is to be found. `make(folder)` sets one up."""
