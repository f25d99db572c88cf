"""Passes and dry runs as turns."""
