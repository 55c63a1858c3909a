"""A program for each client; it runs in the client's own environment and takes it on the journey."""
