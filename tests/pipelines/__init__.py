"""Each pipeline, step by step, in front of an account that lives in memory."""
