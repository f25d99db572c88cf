"""The library with which anybody guards a loop of their own."""
