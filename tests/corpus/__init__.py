"""Incidents that really happened, and holes of well-known guards: each goes in, and ours must hold."""
