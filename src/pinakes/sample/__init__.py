"""The sample knowledge base: a few documents about old libraries, and questions they answer."""
