"""Both figures the product promises on any machine: `python -m bench`. Ends with 1 when one is missed."""

import sys

from bench import latency, throughput


def main() -> None:
    """Measure ingestion, then search under load."""
    print("Ingestion against the embedder alone")
    fast = throughput.measure()
    print("Search during a load against search on an idle machine")
    steady = latency.measure()
    sys.exit(not (fast and steady))


if __name__ == "__main__":
    main()
