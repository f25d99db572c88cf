"""Several replicas on one PostgreSQL: how much they do, and how soon one stands in for another."""
