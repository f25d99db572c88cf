"""Secrets at rest: sealed by whoever takes them in, opened only by whoever holds the master key."""
