"""Every tool once: its name, its words, what it takes and gives, and the use case behind it."""
