"""The catalog toolset: knowledge bases that an agent makes, fills and asks."""
