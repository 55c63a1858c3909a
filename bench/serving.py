"""A real server on a data folder of its own, and a workspace in it to measure in."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import psutil

_DEADLINE = 120.0
_QUIET_PERCENT = 15


@dataclass(frozen=True, slots=True)
class Served:
    """A running server and a client signed in as its owner."""

    client: httpx.Client
    environment: dict[str, str]

    def make_kb(self, name: str) -> str:
        """A new knowledge base's id."""
        return self.data("POST", "/api/knowledge-bases", json={"name": name})["id"]

    def upload(self, kb: str, name: str, text: str) -> None:
        """Send a file; it is indexed behind."""
        self.data("POST", f"/api/knowledge-bases/{kb}/documents", files={"file": (name, text.encode())})

    def count_documents(self, kb: str, status: str) -> int:
        """How many documents of a knowledge base are in this state."""
        return self.data("GET", f"/api/knowledge-bases/{kb}/documents?status={status}&limit=1")["total"]

    def wait_until_indexed(self, kb: str, count: int) -> datetime:
        """When the last of so many documents was indexed; a failed one ends the measurement."""
        while self.count_documents(kb, "indexed") < count:
            if self.count_documents(kb, "failed"):
                raise SystemExit("A document could not be indexed.")
            # Each look costs the server time that it is measured by.
            time.sleep(1)
        documents = self.data("GET", f"/api/knowledge-bases/{kb}/documents?limit=200")["items"]
        return max(datetime.fromisoformat(document["indexedAt"]) for document in documents)

    def read_chunks(self, kb: str) -> list[dict[str, Any]]:
        """Every chunk of a knowledge base."""
        documents = self.data("GET", f"/api/knowledge-bases/{kb}/documents?limit=200")["items"]
        return [
            chunk
            for document in documents
            for offset in range(0, document["chunkCount"], 200)
            for chunk in self.data("GET", f"/api/documents/{document['id']}/chunks?limit=200&offset={offset}")["items"]
        ]

    def data(self, method: str, path: str, **request: Any) -> Any:
        """What a successful answer holds."""
        response = self.client.request(method, path, **request)
        if not response.is_success:
            raise SystemExit(f"{method} {path}: {response.status_code} {response.text}")
        return response.json()["data"]


@contextmanager
def serving() -> Generator[Served]:
    """Start a server, and stop it and remove its data at the end."""
    home = Path(tempfile.mkdtemp(prefix="pinakes-bench-"))
    environment = os.environ | {"PINAKES_HOME": str(home), "PINAKES_LOG_LEVEL": "WARNING"}
    process = subprocess.Popen(
        [sys.executable, "-m", "pinakes", "serve", "--port", "0", "--no-sample", "--json"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        url = _wait_for_url(home, process)
        token = (home / "owner.token").read_text().strip()
        with httpx.Client(
            base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=_DEADLINE, trust_env=False
        ) as client:
            yield Served(client, environment)
    finally:
        process.terminate()
        process.wait(_DEADLINE)
        _remove(home)


def wait_for_quiet(seconds: float = 60) -> None:
    """Until other programs leave the processor alone; after a while, go on and say so."""
    deadline = time.monotonic() + seconds
    while (busy := psutil.cpu_percent(interval=0.5)) > _QUIET_PERCENT:
        if time.monotonic() > deadline:
            print(f"  (other programs take {busy:.0f} % of the processor: figures will be rough)", flush=True)
            return


def _wait_for_url(home: Path, process: "subprocess.Popen[bytes]") -> str:
    deadline = time.monotonic() + _DEADLINE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            url = json.loads((home / "server.json").read_text())["url"]
            if httpx.get(f"{url}/readyz", timeout=2, trust_env=False).is_success:
                return url
        except (OSError, ValueError, httpx.HTTPError):
            pass
        time.sleep(0.1)
    raise SystemExit("The server did not start.")


def _remove(home: Path) -> None:
    engine = home / "postgres"
    if engine.is_symlink():
        shutil.rmtree(engine.resolve(), ignore_errors=True)
    shutil.rmtree(home, ignore_errors=True)
