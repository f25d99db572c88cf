"""The typed HTTP client: what the command line and the agent know of the API. Standard library only."""
