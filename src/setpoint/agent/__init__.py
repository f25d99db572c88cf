"""Runs on hosts: introduces itself once, then says that it is alive, come what may."""
