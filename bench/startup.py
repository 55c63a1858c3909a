"""How long a start takes with nothing to set up: `python -m bench.startup`. Ends with 1 when it takes too long.

A cold start, on a new data folder and with the sample, comes first and is only told.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import httpx

PROMISED_SECONDS = 5.0
_DEADLINE = 180.0


def start_once(home: Path) -> float:
    """Seconds from the command to an answer that all is ready and a page to show; stopped again afterwards."""
    (home / "server.json").unlink(missing_ok=True)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PINAKES_")}
    command = [sys.executable, "-m", "pinakes", "serve", "--port", "0"]
    began = time.monotonic()
    with (home / "server.log").open("ab") as log:
        process = subprocess.Popen(command, env=clean | {"PINAKES_HOME": str(home)}, stdout=log, stderr=log)
    try:
        while not _serves(home):
            if process.poll() is not None or time.monotonic() - began > _DEADLINE:
                raise RuntimeError((home / "server.log").read_text()[-2000:])
            time.sleep(0.02)
        return time.monotonic() - began
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(_DEADLINE)


def _serves(home: Path) -> bool:
    try:
        url = json.loads((home / "server.json").read_text())["url"]
        ready = httpx.get(f"{url}/readyz", timeout=5, trust_env=False)
        return ready.is_success and "text/html" in httpx.get(url, timeout=5, trust_env=False).headers["content-type"]
    except (OSError, ValueError, httpx.HTTPError):
        return False


def measure(times: int = 5) -> bool:
    """Start again and again on one data folder; whether the median keeps what is promised."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        print(f"  the first start, with everything to be made: {start_once(Path(folder)):.2f} s")
        taken = [start_once(Path(folder)) for _ in range(times)]
    print(f"  {times} further starts: {', '.join(f'{seconds:.2f}' for seconds in taken)} s")
    print(f"  median {median(taken):.2f} s; promised: {PROMISED_SECONDS:g} s")
    return median(taken) <= PROMISED_SECONDS


def main() -> None:
    """Measure as often as asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    sys.exit(not measure(parser.parse_args().times))


if __name__ == "__main__":
    main()
