"""Hetzner Cloud: servers, firewalls and DNS zones through one project token."""
