"""Clients that others wrote, and our adapters for frameworks that others wrote, on one journey with a real server."""
