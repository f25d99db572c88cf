"""A small page over a running station: how each loop stands, what is held, a way to pause."""
