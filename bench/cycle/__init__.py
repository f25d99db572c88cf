"""What is asked of a provider: in a cycle without a change, and under a rate limit with a backlog."""
