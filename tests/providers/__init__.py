"""Adapters in front of the simulator, and whatever else answers badly."""
