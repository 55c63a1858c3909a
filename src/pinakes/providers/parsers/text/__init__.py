"""Text as it is typed: plain text, Markdown, JSON, notebooks, source code."""
