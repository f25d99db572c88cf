"""What the API costs: one thing read, one declared, a page of a hundred, and all of it as the rows grow."""
