"""Attacks on a running installation, by HTTP and the command line alone."""
