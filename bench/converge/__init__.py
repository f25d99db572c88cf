"""From an intent to a world that is as intended: ours, kopf and octoDNS, on the same work."""
