"""The agent as a process, in front of a real API."""
