"""What it costs to do nothing: a million keys on their intervals."""
