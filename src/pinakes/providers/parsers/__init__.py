"""Parsing: every document is read in a child process that can be killed."""
