"""Secrets at rest: what is sealed opens for its own organization, in its own place, and nowhere else."""
