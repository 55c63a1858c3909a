"""Presentations: PPTX, ODP, PPT."""
