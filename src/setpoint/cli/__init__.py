"""The command line. `remote` talks to the API through the client and knows nothing else of ours."""
