"""Pinakes: a self-hosted knowledge layer for AI agents."""

__version__ = "0.2.0.dev0"
