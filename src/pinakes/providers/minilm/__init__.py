"""The built-in embedder, all-MiniLM-L6-v2: built once from its published weights, then run locally."""
