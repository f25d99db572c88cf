"""A kind that no file of the product knows."""
