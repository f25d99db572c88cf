"""Each kind on its own, in front of an account that lives in memory."""
