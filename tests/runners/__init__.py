"""The embedded runner: resumed, stopped, undone."""
