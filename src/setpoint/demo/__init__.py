"""Everything on simulated clouds: a fleet that converges, breaks and heals before your eyes."""
