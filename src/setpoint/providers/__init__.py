"""Adapters: one folder per external system."""
