"""The Control API: the authoritative HTTP layer. Routes for every kind are derived from the kind."""
