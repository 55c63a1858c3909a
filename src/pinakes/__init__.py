"""Pinakes: a self-hosted knowledge layer for AI agents."""

__version__ = "0.1.0"
