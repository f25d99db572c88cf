"""The HTTP client: what the command line and the agent know of the API. Standard library only.

Objects, kinds, events and problems are types; other answers are JSON as the API gives it.
"""
