"""Simulated clouds over real sockets: what the demo runs on, and the world of the tests."""
