"""Durable writes: one by one, in batches, and beside a file that is only appended to."""
