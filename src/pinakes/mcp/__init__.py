"""The Model Context Protocol: our tools and documents for any client that speaks it."""
