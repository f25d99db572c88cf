"""Who runs pipelines: embedded runs them as turns of our own drive, temporal on a Temporal server."""
