"""The Execution worker: long, ordered, one-off work, step by step."""
