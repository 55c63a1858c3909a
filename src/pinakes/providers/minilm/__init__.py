"""The built-in embedder, all-MiniLM-L6-v2: built once from its published weights, then run locally."""

import os

# onnxruntime reports to its maker from the moment it is imported, unless this is set before.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
