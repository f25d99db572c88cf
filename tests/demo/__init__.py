"""The demo as people start it."""
