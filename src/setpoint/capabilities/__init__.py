"""What the world can do for us: protocols and values, one file each."""
